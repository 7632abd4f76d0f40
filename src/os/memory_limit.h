// A limit on the memory that an experiment may use, page cache included, so that "twice the
// memory" takes seconds.
//
// The page cache is charged to the group that first touched a page and stays charged there: data
// must be evicted first, or hits on pages cached elsewhere cost nothing and the limit says
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "os/cgroup.h"
#include "os/counters.h"

namespace mr::os {

class MemoryLimit {
 public:
  // Makes the memory group of `groups` and limits it to `limit_bytes`. Swap is forbidden to the
  // group where the kernel can do that. Throws CgroupError.
  MemoryLimit(GroupSet& groups, std::uint64_t limit_bytes);

  // As the kernel took it: rounded down to pages.
  std::uint64_t limit_bytes() const { return limit_bytes_; }
  const Cgroup& group() const { return *group_; }
  // Whether the kernel forbids the group to swap. Where it does not account swap, it cannot.
  bool limits_swap() const { return limits_swap_; }

  std::uint64_t ChargedBytes() const;  // now, page cache included
  // The highest charge since ForgetPeak, or, where the kernel cannot forget, since the beginning.
  std::optional<std::uint64_t> PeakBytes() const;
  // Where the kernel can do that: version 1; version 2 forgets for one open file only (6.12).
  bool ForgetPeak();

  // Everything the kernel counts for this group: memory.stat under its own names, and as
  // "limit_hits" (v1 failcnt, v2 max of memory.events) how often a charge ran into the limit, and
  // "oom_kills". See Difference. Mind that Linux 6.12 counts no refaults on ext4 with blocks
  // smaller than a page.
  Counters ReadCounters() const;

  // Gives the group's page cache back as far as the kernel lets go of it.
  void Reclaim();

 private:
  std::shared_ptr<Cgroup> group_;
  std::uint64_t limit_bytes_ = 0;
  bool limits_swap_ = false;
};

// The limit that already holds for this process (its own and all enclosing groups), if any.
std::optional<std::uint64_t> InheritedMemoryLimit(const CgroupPaths& paths = {});

}  // namespace mr::os
