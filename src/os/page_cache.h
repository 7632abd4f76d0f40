// What of a file is in the kernel's page cache, and how to get it out.
//
// Residency comes from cachestat(2) (Linux 6.5). The kernel tells it only to those who own the
// file or could write it (for others cachestat fails, and mincore(2) reports everything as
// resident, which is why it is asked only where it is truthful; it also leaves out pages of which
// only some blocks are cached, on file systems with blocks smaller than a page). On overlayfs only
// mincore knows of the file behind. Where the kernel won't tell, the answer is "unknown", never a
// guess. Nothing here loads a page. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mr::os {

std::uint64_t PageBytes();
std::uint64_t PagesIn(std::uint64_t bytes);  // rounded up

enum class ResidencySource { kUnknown, kCachestat, kMincore };

struct Residency {
  std::uint64_t total_pages = 0;
  std::optional<std::uint64_t> resident_pages;
  // Known with kCachestat only.
  std::optional<std::uint64_t> dirty_pages;
  std::optional<std::uint64_t> writeback_pages;
  std::optional<std::uint64_t> evicted_pages;           // were resident once, reclaimed since
  std::optional<std::uint64_t> recently_evicted_pages;  // would count as refaults if read now
  ResidencySource source = ResidencySource::kUnknown;
  std::string why_unknown;  // a phrase for people when resident_pages is not there
};

// Of `length_bytes` bytes from `offset_bytes` of an open file, or of all of it. The range is cut at
// the end of the file. Throws IoError (with `path` in it) when the file cannot even be stat'ed.
Residency MeasureResidency(int fd, const std::string& path);
Residency MeasureResidency(int fd, const std::string& path, std::uint64_t offset_bytes,
                           std::uint64_t length_bytes);
// Opens the file for reading; throws IoError where that fails.
Residency MeasureResidency(const std::string& path);

// Which parts of a file are resident: the file cut into equal pieces.
struct ResidencyMap {
  std::uint64_t file_bytes = 0;
  std::vector<std::uint64_t> bucket_pages;    // pages in each piece
  std::vector<std::uint64_t> resident_pages;  // of them resident; empty when unknown
  std::string why_unknown;
  bool known() const { return why_unknown.empty(); }
};

// At most `buckets` pieces, fewer for a file of fewer pages. Throws IoError as above.
ResidencyMap MapResidency(const std::string& path, std::size_t buckets);

struct Eviction {
  std::uint64_t total_pages = 0;
  std::optional<std::uint64_t> pages_before;  // resident
  std::optional<std::uint64_t> pages_left;    // resident afterwards; nothing: could not be verified
  bool wrote_back = false;                    // dirty pages had to be written first
  std::string why_unknown;
  bool verified_empty() const { return pages_left == 0U; }
};

// Writes the file's dirty pages back, drops its clean pages from the cache and looks whether any
// are left (pages mapped by some process, locked, or on a file system without a device stay).
// Repeats for up to `patience` while pages are left. Throws IoError when the file cannot be
// opened, synced or advised.
Eviction Evict(const std::string& path,
               std::chrono::milliseconds patience = std::chrono::milliseconds(500));

}  // namespace mr::os
