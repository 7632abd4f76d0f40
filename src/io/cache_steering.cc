#include "io/cache_steering.h"

#include <fcntl.h>

#include <algorithm>

#include "os/cache_room.h"
#include "os/page_cache.h"

namespace mr::io {
namespace {

// Left free when the cache is filled up: the search's own buffers, which it touches only later,
// page tables and other processes need some too.
constexpr std::uint64_t kMarginBytes = std::uint64_t{16} << 20;

struct Missing {
  std::uint64_t bytes = 0;
  bool known = false;
};

Missing MissingIn(const os::File& file, std::uint64_t offset, std::uint64_t bytes) {
  const os::Residency residency = os::MeasureResidency(file.fd(), file.name(), offset, bytes);
  if (!residency.resident_pages) return {bytes, false};
  const std::uint64_t missing_pages = residency.total_pages - *residency.resident_pages;
  return {std::min(bytes, missing_pages * os::PageBytes()), true};
}

// The parts of a range that are not resident, by halving: the kernel counts pages, it does not
// name them.
void FindMissing(const os::File& file, std::uint64_t offset, std::uint64_t bytes,
                 std::vector<CacheSteering::Extent>& extents) {
  const Missing missing = MissingIn(file, offset, bytes);
  if (!missing.known || missing.bytes == 0) return;
  if (missing.bytes >= bytes || bytes <= os::PageBytes()) {
    if (!extents.empty() && extents.back().offset + extents.back().bytes == offset) {
      extents.back().bytes += bytes;
    } else {
      extents.push_back({offset, bytes});
    }
    return;
  }
  const std::uint64_t half = (bytes / os::PageBytes() + 1) / 2 * os::PageBytes();
  FindMissing(file, offset, half, extents);
  FindMissing(file, offset + half, bytes - half, extents);
}

}  // namespace

CacheSteering::CacheSteering(CachePolicy policy, bool emulate)
    : policy_(policy), dont_cache_works_(!emulate) {}

CacheSteering::Passage CacheSteering::Enter(const os::File& file, std::uint64_t offset,
                                            std::uint64_t bytes) {
  if (policy_ == CachePolicy::kNormal) return {};
  const Missing missing = MissingIn(file, offset, bytes);
  resident_ += bytes - missing.bytes;
  if (missing.bytes == 0) {
    // Somebody's read-ahead may have left a mark in what is resident, and a read that meets it sets
    // off the next read-ahead, advice or not (page_cache_async_ra of Linux 6.18). What that brings
    // in leaves again with the reads that do not cache, and only with them.
    Passage passage;
    passage.options.dont_cache = dont_cache_works_;
    return passage;
  }
  if (policy_ == CachePolicy::kKeep && TakeRoom(missing.bytes)) {
    added_ += missing.bytes;
    return {};
  }
  passed_ += missing.bytes;
  return PassBy(file, offset, bytes);
}

CacheSteering::Passage CacheSteering::Refused(const os::File& file, std::uint64_t offset,
                                              std::uint64_t bytes) {
  dont_cache_works_ = false;
  return PassBy(file, offset, bytes);
}

CacheSteering::Passage CacheSteering::PassBy(const os::File& file, std::uint64_t offset,
                                             std::uint64_t bytes) {
  Passage passage;
  passage.options.dont_cache = dont_cache_works_;
  if (passage.options.dont_cache) return passage;
  const Missing missing = MissingIn(file, offset, bytes);
  if (missing.known) {
    FindMissing(file, offset, bytes, passage.drop);
  } else {
    // Dropping what may have been there before would do to others what is to be avoided.
    passed_ -= bytes;
    unknown_ += bytes;
  }
  return passage;
}

void CacheSteering::Leave(const os::File& file, const Passage& passage) {
  for (const Extent& extent : passage.drop) {
    file.Advise(POSIX_FADV_DONTNEED, extent.offset, extent.bytes);
  }
}

bool CacheSteering::TakeRoom(std::uint64_t bytes) {
  std::call_once(measured_, [&] {
    const std::uint64_t free = os::MeasureCacheRoom().free_bytes;
    room_bytes_ = free > kMarginBytes ? free - kMarginBytes : 0;
  });
  std::uint64_t room = room_bytes_.load();
  while (room >= bytes) {
    if (room_bytes_.compare_exchange_weak(room, room - bytes)) return true;
  }
  return false;
}

CacheTotals CacheSteering::totals() const {
  return {resident_.load(), added_.load(), passed_.load(), unknown_.load()};
}

}  // namespace mr::io
