#include "io/source_factory.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "io/mmap_source.h"
#include "io/pipelined_source.h"
#include "io/read_source.h"
#include "io/stream_source.h"
#include "io/stripes.h"
#include "os/cache_room.h"
#include "os/mapping.h"
#include "os/page_cache.h"

namespace mr::io {
namespace {

// Fits the second-level cache together with what the search needs, so that scanning what has just
// been copied does not go to memory again.
constexpr std::size_t kDefaultBufferBytes = 4 * kBinaryWindowBytes;

// For reads that nothing runs ahead of: with four of a megabyte under way a disk is never idle.
constexpr std::size_t kDeepChunkBytes = 11 * kBinaryWindowBytes;
constexpr unsigned kDeepDepth = 4;

// Files that together stay below this are searched without asking how much the cache can hold.
constexpr std::uint64_t kAlwaysFitsBytes = std::uint64_t{64} << 20;

// Below this one read(2) into a warm buffer costs less than mapping and unmapping.
constexpr std::uint64_t kMapFromBytes = std::uint64_t{1} << 20;

// From <linux/magic.h> and the file systems' own headers: servers that can take a mapped page away.
constexpr std::array<long, 5> kNetworkFileSystems = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFE534D42,  // SMB2
    0xFF534D42,  // CIFS
    0x65735546,  // FUSE
};

bool OnNetwork(const os::File& file) {
  struct statfs status;
  if (::fstatfs(file.fd(), &status) != 0) return true;
  return std::find(kNetworkFileSystems.begin(), kNetworkFileSystems.end(),
                   static_cast<long>(status.f_type)) != kNetworkFileSystems.end();
}

// Whether a regular file of size 0 has contents all the same, as most of /proc has.
bool HidesItsSize(const os::File& file) {
  char byte = 0;
  return file.ReadAt(&byte, 1, 0) > 0;
}

// Whether the kernel maps the resident file in pieces that make mapping worth it. How the file came
// into the cache decides that: in large folios, a fault maps 2 MiB and a mapping is the fastest way
// to the bytes; in small ones it maps 64 KiB (fault-around), and copying costs half as much.
bool MapsInLargePieces(const os::File& file, const os::FileInfo& info) {
  constexpr std::size_t kSampleBytes = std::size_t{4} << 20;
  constexpr std::size_t kStrideBytes = std::size_t{64} << 10;
  constexpr std::uint64_t kFewFaults = kSampleBytes / kStrideBytes / 8;
  if (info.size_bytes < kSampleBytes) return false;
  const std::uint64_t middle =
      (info.size_bytes - kSampleBytes) / 2 / os::PageBytes() * os::PageBytes();
  const os::Mapping sample(file, middle, kSampleBytes);
  const std::uint64_t before = os::MinorFaultsOfThread();
  for (std::size_t at = 0; at < kSampleBytes; at += kStrideBytes) {
    static_cast<void>(*static_cast<const volatile char*>(sample.data() + at));
  }
  return os::MinorFaultsOfThread() - before <= kFewFaults;
}

// Whether nearly all of the file can be had without the disk.
bool IsResident(const os::File& file, const os::FileInfo& info) {
  const os::Residency residency = os::MeasureResidency(file.fd(), file.name());
  // What the kernel does not tell is taken for resident: mappings have read-ahead, too.
  if (!residency.resident_pages) return true;
  return *residency.resident_pages >= residency.total_pages - residency.total_pages / 16 ||
         info.size_bytes == 0;
}

}  // namespace

SourceFactory::SourceFactory(const IoSpec& spec, CachePolicy cache, char terminator)
    : spec_(spec), terminator_(terminator), steering_(cache), keeping_(CachePolicy::kKeep) {}

std::unique_ptr<BlockSource> SourceFactory::Open(os::File& file, const os::FileInfo& info) {
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(file.name(), EISDIR);
  const std::uint64_t start = file.StartPosition();
  if (spec_.mode != Mode::kAuto && spec_.mode != Mode::kRead) return OpenNamed(file, info, start);
  const bool sized = info.kind == os::FileKind::kRegular && info.size_bytes > 0;
  const auto buffer_bytes =
      static_cast<std::size_t>(spec_.buffer_bytes == 0 ? kDefaultBufferBytes : spec_.buffer_bytes);
  if (!sized) return MakeStreamSource(file, buffer_bytes, terminator_, buffers_);
  if (spec_.mode == Mode::kAuto && info.size_bytes >= kMapFromBytes) {
    return OpenAuto(file, info, start);
  }
  if (steering_.policy() != CachePolicy::kNormal) {
    const PipelineOptions options{std::max(buffer_bytes, kDefaultBufferBytes), kDeepDepth, false,
                                  false, "read"};
    return MakePipelinedSource(file, info, start, options, terminator_, buffers_, steering_);
  }
  return MakeReadSource(file, info, start, buffer_bytes, terminator_, buffers_);
}

// A mode that the user named: served as it is, or not at all.
std::unique_ptr<BlockSource> SourceFactory::OpenNamed(os::File& file, const os::FileInfo& info,
                                                      std::uint64_t start) {
  const bool regular = info.kind == os::FileKind::kRegular;
  if (!regular || (info.size_bytes == 0 && HidesItsSize(file))) {
    throw os::IoError(file.name(), spec_.mode == Mode::kMmap
                                       ? "cannot be mapped (not a file of known size)"
                                       : "needs IO mode read (not a file of known size)");
  }
  if (spec_.mode == Mode::kMmap) {
    if (steering_.policy() != CachePolicy::kNormal) {
      throw os::IoError(file.name(), "mappings cannot spare the page cache; use another IO mode");
    }
    return MakeMmapSource(file, info, start, spec_, terminator_);
  }
  const PipelineOptions options{
      static_cast<std::size_t>(spec_.buffer_bytes == 0 ? kDeepChunkBytes : spec_.buffer_bytes),
      spec_.depth == 0 ? kDeepDepth : spec_.depth, spec_.direct || spec_.mode == Mode::kDirect,
      spec_.mode == Mode::kUring, spec_.mode == Mode::kUring ? "uring" : "direct"};
  return MakePipelinedSource(file, info, start, options, terminator_, buffers_, steering_);
}

std::unique_ptr<BlockSource> SourceFactory::OpenAuto(os::File& file, const os::FileInfo& info,
                                                     std::uint64_t start) {
  if (steering_.policy() != CachePolicy::kNormal) return OpenDeep(file, info, start, steering_);
  if (OnNetwork(file)) {
    return MakeReadSource(file, info, start, kDefaultBufferBytes, terminator_, buffers_);
  }
  if (ExceedsCache(info.size_bytes)) return OpenDeep(file, info, start, keeping_);
  if (!IsResident(file, info)) return OpenDeep(file, info, start, steering_);
  try {
    if (MapsInLargePieces(file, info)) {
      return MakeMmapSource(file, info, start, spec_, terminator_);
    }
  } catch (const os::IoError&) {
    // Some virtual file systems have sizes but no mappings.
  }
  return MakeReadSource(file, info, start, kDefaultBufferBytes, terminator_, buffers_);
}

std::unique_ptr<BlockSource> SourceFactory::OpenDeep(os::File& file, const os::FileInfo& info,
                                                     std::uint64_t start, CacheSteering& steering) {
  PipelineOptions options{kDeepChunkBytes, kDeepDepth, false, true, "uring"};
  if (!ring_refused_) {
    try {
      return MakePipelinedSource(file, info, start, options, terminator_, buffers_, steering);
    } catch (const os::IoError&) {
      ring_refused_ = true;  // by the kernel's configuration, so for all files
    }
  }
  options.ring = false;
  options.mode = "read";
  return MakePipelinedSource(file, info, start, options, terminator_, buffers_, steering);
}

CacheTotals SourceFactory::cache_totals() const {
  CacheTotals totals = steering_.totals();
  totals += keeping_.totals();
  return totals;
}

// Whether the files seen so far and this one are more than the page cache can hold: from there on
// caching them all would evict each before its next turn.
bool SourceFactory::ExceedsCache(std::uint64_t more_bytes) {
  const std::uint64_t seen = seen_bytes_ += more_bytes;
  if (seen < kAlwaysFitsBytes) return false;
  std::call_once(measured_, [&] { capacity_bytes_ = os::MeasureCacheRoom().capacity_bytes; });
  return seen > capacity_bytes_;
}

}  // namespace mr::io
