#include "os/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "os/descriptor.h"
#include "os/error.h"

namespace mr::os {
namespace {

// cachestat(2), Linux 6.5: newer than the C library here, the number is the same on all
// architectures that have the generic table.
constexpr long kCachestatCall = 451;

struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t length;
};

struct CachestatResult {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

// mincore(2) needs the file mapped: in pieces, to bound the address space and the answer.
constexpr std::uint64_t kMincoreWindowBytes = std::uint64_t{1} << 30;

struct stat StatOf(int fd, const std::string& path) {
  struct stat info;
  if (::fstat(fd, &info) != 0) throw IoError(path, errno);
  return info;
}

Descriptor OpenForReading(const std::string& path) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) throw IoError(path, errno);
  return fd;
}

// The pages of a file on overlayfs are those of the file behind it. A mapping leads there, but
// cachestat asks the overlay's own inode, which never has a page, and reports nothing resident.
bool CachestatIsTruthful(int fd) {
  constexpr long kOverlayfsMagic = 0x794c7630;
  struct statfs info;
  return ::fstatfs(fd, &info) != 0 || info.f_type != kOverlayfsMagic;
}

// The kernel's own condition for telling the truth: the caller owns the file or could write it.
bool MincoreIsTruthful(int fd, const struct stat& info) {
  if (info.st_uid == ::geteuid()) return true;
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  return ::faccessat(AT_FDCWD, name.c_str(), W_OK, AT_EACCESS) == 0;
}

std::optional<std::uint64_t> CountByMincore(int fd, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t page = PageBytes();
  const std::uint64_t end = offset + length;
  std::vector<unsigned char> flags;
  std::uint64_t resident = 0;
  for (std::uint64_t at = offset / page * page; at < end; at += kMincoreWindowBytes) {
    const auto bytes = static_cast<std::size_t>(std::min(kMincoreWindowBytes, end - at));
    void* address = ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, fd, static_cast<off_t>(at));
    if (address == MAP_FAILED) return std::nullopt;
    flags.resize(PagesIn(bytes));
    const int status = ::mincore(address, bytes, flags.data());
    ::munmap(address, bytes);
    if (status != 0) return std::nullopt;
    resident += static_cast<std::uint64_t>(
        std::count_if(flags.begin(), flags.end(), [](unsigned char f) { return (f & 1) != 0; }));
  }
  return resident;
}

std::string Refusal(int error_number) {
  if (error_number == EPERM) {
    return "the kernel tells the residency only to the file's owner and to those who can write it";
  }
  return std::string("the kernel does not tell the residency (") + std::strerror(error_number) +
         ")";
}

}  // namespace

std::uint64_t PageBytes() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t PagesIn(std::uint64_t bytes) {
  return bytes / PageBytes() + (bytes % PageBytes() != 0 ? 1 : 0);
}

Residency MeasureResidency(int fd, const std::string& path, std::uint64_t offset_bytes,
                           std::uint64_t length_bytes) {
  const struct stat info = StatOf(fd, path);
  Residency result;
  if (!S_ISREG(info.st_mode)) {
    result.why_unknown = "not a regular file";
    return result;
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t begin = std::min(offset_bytes, size);
  const std::uint64_t length = std::min(length_bytes, size - begin);
  result.total_pages = length == 0 ? 0 : PagesIn(begin + length) - begin / PageBytes();
  if (length == 0) {  // a length of 0 would mean "to the end" to the kernel
    result.resident_pages = 0;
    return result;
  }

  CachestatRange range{begin, length};
  CachestatResult counts{};
  const bool asked = CachestatIsTruthful(fd);
  if (asked && ::syscall(kCachestatCall, fd, &range, &counts, 0U) == 0) {
    result.source = ResidencySource::kCachestat;
    result.resident_pages = counts.cached;
    result.dirty_pages = counts.dirty;
    result.writeback_pages = counts.writeback;
    result.evicted_pages = counts.evicted;
    result.recently_evicted_pages = counts.recently_evicted;
    return result;
  }
  const int error_number = asked ? errno : EOPNOTSUPP;
  if (error_number != EPERM && MincoreIsTruthful(fd, info)) {
    result.resident_pages = CountByMincore(fd, begin, length);
    if (result.resident_pages) {
      result.source = ResidencySource::kMincore;
      return result;
    }
  }
  result.why_unknown = Refusal(error_number);
  return result;
}

Residency MeasureResidency(int fd, const std::string& path) {
  return MeasureResidency(fd, path, 0, ~std::uint64_t{0});
}

Residency MeasureResidency(const std::string& path) {
  return MeasureResidency(OpenForReading(path).get(), path);
}

ResidencyMap MapResidency(const std::string& path, std::size_t buckets) {
  const Descriptor fd = OpenForReading(path);
  ResidencyMap map;
  map.file_bytes = static_cast<std::uint64_t>(StatOf(fd.get(), path).st_size);
  const std::uint64_t pages = PagesIn(map.file_bytes);
  const std::uint64_t count = std::min<std::uint64_t>(buckets, pages);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Divided with the remainder spread evenly; `pages` fits in 52 bits, so nothing overflows
    // for any number of buckets that makes sense on a screen.
    const std::uint64_t begin = pages * i / count;
    const std::uint64_t end = pages * (i + 1) / count;
    map.bucket_pages.push_back(end - begin);
    if (!map.known()) continue;
    const Residency part =
        MeasureResidency(fd.get(), path, begin * PageBytes(), (end - begin) * PageBytes());
    if (part.resident_pages) {
      map.resident_pages.push_back(*part.resident_pages);
    } else {
      map.why_unknown = part.why_unknown;
      map.resident_pages.clear();
    }
  }
  return map;
}

Eviction Evict(const std::string& path, std::chrono::milliseconds patience) {
  const Descriptor fd = OpenForReading(path);
  const Residency before = MeasureResidency(fd.get(), path);
  Eviction result;
  result.total_pages = before.total_pages;
  result.pages_before = before.resident_pages;

  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    const Residency now = MeasureResidency(fd.get(), path);
    // Dirty pages are not dropped. Where nobody tells whether there are any, syncing is cheap.
    if (now.dirty_pages.value_or(1) + now.writeback_pages.value_or(0) > 0) {
      result.wrote_back = result.wrote_back || now.dirty_pages.value_or(0) > 0;
      if (::fdatasync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
        throw IoError(path, errno);
      }
    }
    if (const int error_number = ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED)) {
      throw IoError(path, error_number);
    }
    const Residency after = MeasureResidency(fd.get(), path);
    result.pages_left = after.resident_pages;
    result.why_unknown = after.why_unknown;
    if (result.pages_left.value_or(0) == 0 || std::chrono::steady_clock::now() >= deadline) {
      return result;
    }
    // Pages still on their way to an LRU list, or under writeback, are let go a moment later.
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

}  // namespace mr::os
