#include "io/source_factory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "io/cache_probe.h"
#include "io/loaded_source.h"
#include "io/mmap_source.h"
#include "io/pipelined_source.h"
#include "io/read_source.h"
#include "io/round_up.h"
#include "io/size.h"
#include "io/stream_source.h"
#include "os/cache_room.h"
#include "os/file_system.h"
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

// The kernel runs ahead of a single sequence of reads itself, in folios that become as large as its
// window (page_cache_async_ra, mm/readahead.c). Of several sequences of one descriptor it makes
// none: each page is a folio of its own then, which costs three times the processor's time, and a
// later search cannot map them in large pieces.
constexpr unsigned kSequentialDepth = 1;

// Files that together stay below this are searched without asking how much the cache can hold.
constexpr std::uint64_t kAlwaysFitsBytes = std::uint64_t{64} << 20;

// Files that have not been opened yet are counted once the others are this share of the cache.
constexpr std::uint64_t kCountFromShare = 8;

// Below this one read(2) into a warm buffer costs less than mapping and unmapping.
constexpr std::uint64_t kMapFromBytes = std::uint64_t{1} << 20;

// Whether a regular file of size 0 has contents all the same, as most of /proc has.
bool HidesItsSize(const os::File& file) {
  char byte = 0;
  return file.ReadAt(&byte, 1, 0) > 0;
}

// A line from this size on is not to be held in memory without need. A mapped one takes no memory
// that the kernel could not have back.
constexpr std::uint64_t kLongLineBytes = std::uint64_t{64} << 20;

// Where lines are long, looking for their ends costs as much as the search. So much of a file of
// (as it seems) one line is given out at once: then the end of the file is the only one looked for.
constexpr std::uint64_t kLongStripeBytes = std::uint64_t{1} << 30;

// Whether the file looks like a single long line: none ends in pieces of it. Throws os::IoError
// where a piece cannot be read.
bool LooksLikeOneLine(const os::File& file, std::uint64_t size_bytes, const LineRules& rules) {
  constexpr std::size_t kProbeBytes = std::size_t{64} << 10;
  constexpr std::uint64_t kProbes = 16;
  if (size_bytes < kLongLineBytes || !file.owned()) return false;
  // The mark that read-ahead leaves would set off more of it under a policy.
  file.Advise(POSIX_FADV_RANDOM, 0, 0);
  std::vector<char> probe(kProbeBytes);
  const std::uint64_t last = size_bytes - kProbeBytes - 1;  // the last byte may end the line
  bool ends = false;
  for (std::uint64_t i = 0; i < kProbes && !ends; ++i) {
    const std::size_t got = file.ReadAt(probe.data(), probe.size(), last / (kProbes - 1) * i);
    ends = EndOfLine(probe.data(), 0, got, rules).has_value();
  }
  file.Advise(POSIX_FADV_NORMAL, 0, 0);
  return !ends;
}

// Whether a ring that could not be made will not be made for the next file either: the kernel's
// configuration says no, which is something else than a shortage that passes.
bool IsForGood(int error_number) {
  return error_number == ENOSYS || error_number == EPERM || error_number == EACCES ||
         error_number == EINVAL;
}

}  // namespace

struct SourceFactory::Opening {
  void Because(std::string_view text) const {
    if (why != nullptr) *why = text;
  }

  os::File& file;
  const os::FileInfo& info;
  std::uint64_t start;
  std::string* why;
};

SourceFactory::SourceFactory(SourceRequest request)
    : request_(std::move(request)),
      steering_(request_.cache.value_or(CachePolicy::kNormal)),
      keeping_(CachePolicy::kKeep) {}

std::unique_ptr<BlockSource> SourceFactory::Open(os::File& file, const os::FileInfo& info,
                                                 std::string* why) {
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(file.name(), EISDIR);
  const Opening opening{file, info, file.StartPosition(), why};
  const Mode mode = request_.spec.mode;
  if (mode != Mode::kAuto) opening.Because("the mode is the user's");
  if (mode != Mode::kAuto && mode != Mode::kRead) return OpenNamed(opening);
  if (info.kind != os::FileKind::kRegular || info.size_bytes == 0) {
    if (mode == Mode::kAuto) opening.Because("read: not a regular file with a size");
    const std::uint64_t buffer = request_.spec.buffer_bytes;
    return MakeStreamSource(file,
                            buffer == 0 ? kDefaultBufferBytes : static_cast<std::size_t>(buffer),
                            request_.rules, buffers_);
  }
  return mode == Mode::kAuto ? OpenAuto(opening) : OpenRead(opening, steering_);
}

std::unique_ptr<BlockSource> SourceFactory::OpenSmall(const os::File& file, os::FileInfo& info) {
  const IoSpec& spec = request_.spec;
  const bool reads =
      spec.mode == Mode::kAuto || (spec.mode == Mode::kRead && spec.buffer_bytes == 0);
  if (!reads || steering_.policy() != CachePolicy::kNormal || exceeds_) return nullptr;
  auto source = LoadWhole(file, kDefaultBufferBytes, buffers_);
  if (source == nullptr) return nullptr;
  info.kind = os::FileKind::kRegular;
  info.size_bytes = source->size_bytes();
  if (spec.mode == Mode::kAuto && !request_.cache) ExceedsCache(info.size_bytes);
  return source;
}

// A mode that the user named: served as it is, or not at all.
std::unique_ptr<BlockSource> SourceFactory::OpenNamed(const Opening& opening) {
  const IoSpec& spec = request_.spec;
  const bool regular = opening.info.kind == os::FileKind::kRegular;
  if (!regular || (opening.info.size_bytes == 0 && HidesItsSize(opening.file))) {
    throw os::IoError(opening.file.name(), spec.mode == Mode::kMmap
                                               ? "cannot be mapped (not a file of known size)"
                                               : "needs IO mode read (not a file of known size)");
  }
  if (spec.mode == Mode::kMmap) {
    if (steering_.policy() != CachePolicy::kNormal) {
      throw os::IoError(opening.file.name(),
                        "mappings cannot spare the page cache; use another IO mode");
    }
    return MakeMmapSource(opening.file, opening.info, opening.start, spec, request_.rules,
                          MappedStripeBytes(opening.info.size_bytes));
  }
  const PipelineOptions options{
      static_cast<std::size_t>(spec.buffer_bytes == 0 ? kDeepChunkBytes : spec.buffer_bytes),
      spec.depth == 0 ? kDeepDepth : spec.depth, spec.direct || spec.mode == Mode::kDirect,
      spec.mode == Mode::kUring, spec.mode == Mode::kUring ? "uring" : "direct"};
  return MakePipelinedSource(opening.file, opening.info, opening.start, options, request_.rules,
                             buffers_, steering_);
}

// By pread(2). Small files that spare the cache are read at once; for larger ones read-ahead has to
// be replaced by several reads under way.
std::unique_ptr<BlockSource> SourceFactory::OpenRead(const Opening& opening,
                                                     CacheSteering& steering) {
  const std::uint64_t size = opening.info.size_bytes;
  const std::uint64_t wanted = request_.spec.buffer_bytes;
  const auto buffer = static_cast<std::size_t>(wanted == 0 ? kDefaultBufferBytes : wanted);
  if (steering.policy() == CachePolicy::kNormal) {
    // What is not needed of a buffer costs the kernel some time, too.
    const auto all = static_cast<std::size_t>(
        RoundUp(std::min<std::uint64_t>(size, buffer), kBinaryWindowBytes));
    return MakeReadSource(opening.file, opening.info, opening.start, std::min(buffer, all),
                          request_.rules, buffers_);
  }
  if (size < kMapFromBytes && (wanted == 0 || size <= wanted)) {
    return MakeReadSource(opening.file, opening.info, opening.start,
                          static_cast<std::size_t>(std::max<std::uint64_t>(size, buffer)),
                          request_.rules, buffers_, &steering);
  }
  const PipelineOptions options{buffer, kDeepDepth, false, false, "read"};
  return MakePipelinedSource(opening.file, opening.info, opening.start, options, request_.rules,
                             buffers_, steering);
}

std::unique_ptr<BlockSource> SourceFactory::OpenAuto(const Opening& opening) {
  const os::FileInfo& info = opening.info;
  const bool exceeds =
      !request_.cache && ExceedsCache(std::min(info.size_bytes, info.allocated_bytes));
  CacheSteering& steering = exceeds ? keeping_ : steering_;
  const auto exceeding = [this] {
    return "the files are more than the page cache can hold (" + FormatSize(capacity_bytes_) +
           "), so it is kept as it is";
  };
  if (info.size_bytes < kMapFromBytes) {
    opening.Because("read: smaller than 1 MiB");
    return OpenRead(opening, steering);
  }
  if (os::KindOfFileSystem(opening.file.fd()) == os::FileSystemKind::kNetwork) {
    opening.Because(exceeds ? "read: on a network or FUSE file system; " + exceeding()
                            : "read: on a network or FUSE file system");
    return OpenRead(opening, steering);
  }
  if (!request_.cache) {
    if (auto source = MapOneLine(opening)) return source;
  }
  if (steering.policy() != CachePolicy::kNormal) {
    opening.Because(exceeds ? exceeding() : "the policy is the user's");
    return OpenAhead(opening, steering);
  }
  const CacheShare share = ProbeShareInCache(opening.file, info.size_bytes);
  if (!share.nearly_all) {
    opening.Because(share.text);
    return OpenAhead(opening, steering_);
  }
  try {
    if (ProbeMapsInLargePieces(opening.file, info.size_bytes)) {
      opening.Because("mmap: " + share.text + ", in large folios");
      return MakeMmapSource(opening.file, info, opening.start, request_.spec, request_.rules,
                            MappedStripeBytes(info.size_bytes));
    }
    opening.Because("read: " + share.text + ", in small folios");
  } catch (const os::IoError& error) {
    // Some virtual file systems have sizes but no mappings.
    opening.Because("read: cannot be mapped (" + error.reason() + ")");
  }
  return OpenRead(opening, steering_);
}

// A file that looks like a single line, mapped. Null for others, and for those that cannot be
// mapped or of which a piece cannot be read, which the search says better where it gets there.
std::unique_ptr<BlockSource> SourceFactory::MapOneLine(const Opening& opening) const {
  try {
    if (!LooksLikeOneLine(opening.file, opening.info.size_bytes, request_.rules)) return nullptr;
    // There may not be the address space either.
    const os::Mapping attempt(
        opening.file, 0,
        static_cast<std::size_t>(std::min(opening.info.size_bytes, kLongStripeBytes)));
  } catch (const os::IoError&) {
    return nullptr;
  }
  opening.Because("mmap: looks like one line, which is not to be held in memory");
  return MakeMmapSource(opening.file, opening.info, opening.start, request_.spec, request_.rules,
                        kLongStripeBytes);
}

// Large reads ahead of the search, by io_uring where the kernel lets us: several at once where
// nothing else runs ahead. `why` is continued.
std::unique_ptr<BlockSource> SourceFactory::OpenAhead(const Opening& opening,
                                                      CacheSteering& steering) {
  const bool kernel_runs_ahead = steering.policy() == CachePolicy::kNormal;
  PipelineOptions options{kDeepChunkBytes, kernel_runs_ahead ? kSequentialDepth : kDeepDepth, false,
                          true, "uring"};
  std::string refusal = "io_uring was refused";
  const auto because = [&](const std::string& mode) {
    if (opening.why != nullptr) *opening.why = mode + ": " + *opening.why;
  };
  if (!ring_refused_) {
    try {
      auto source = MakePipelinedSource(opening.file, opening.info, opening.start, options,
                                        request_.rules, buffers_, steering);
      because("uring");
      return source;
    } catch (const os::IoError& error) {
      if (IsForGood(error.error_number())) ring_refused_ = true;
      refusal = error.what();
    }
  }
  because("read ahead by threads (" + refusal + ")");
  options.ring = false;
  options.mode = "read";
  return MakePipelinedSource(opening.file, opening.info, opening.start, options, request_.rules,
                             buffers_, steering);
}

CacheTotals SourceFactory::cache_totals() const {
  CacheTotals totals = steering_.totals();
  totals += keeping_.totals();
  return totals;
}

// Whether the files of the search are more than the page cache can hold: then caching each would
// evict it before its next turn. Those not opened yet are only counted once the others amount to
// something beside the cache, since counting costs a walk of its own.
bool SourceFactory::ExceedsCache(std::uint64_t more_bytes) {
  const std::uint64_t seen = seen_bytes_ += more_bytes;
  if (seen < kAlwaysFitsBytes && !request_.cache_capacity) return false;
  std::call_once(measured_, [&] {
    capacity_bytes_ =
        request_.cache_capacity ? *request_.cache_capacity : os::MeasureCacheRoom().capacity_bytes;
  });
  if (seen > capacity_bytes_) exceeds_ = true;
  if (!exceeds_ && seen > capacity_bytes_ / kCountFromShare && request_.count_bytes) {
    std::call_once(counted_, [&] {
      if (request_.count_bytes(capacity_bytes_) > capacity_bytes_) exceeds_ = true;
    });
  }
  return exceeds_;
}

}  // namespace mr::io
