// How much more the page cache can take.
#pragma once

#include <cstdint>
#include <string>

#include "os/cgroup.h"

namespace mr::os {

struct CacheRoom {
  std::uint64_t free_bytes = 0;      // can be added before anything has to be evicted
  std::uint64_t capacity_bytes = 0;  // could be cached in all, if everything evictable were evicted
};

// The least that the whole machine (/proc/meminfo: MemFree less twice vm.min_free_kbytes, where
// reclaim is already at work; MemAvailable) and every memory group of this process allow (limit
// less usage; limit less what is not page cache). A snapshot: others allocate too. What cannot be
// read does not limit. Thread-safe.
CacheRoom MeasureCacheRoom(const CgroupPaths& paths = {}, const std::string& proc = "/proc");

}  // namespace mr::os
