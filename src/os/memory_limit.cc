#include "os/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "os/text_file.h"

namespace mr::os {
namespace {

// Version 1 checks the limit on memory with swap first, and a current kernel (6.18) does not count
// how often that one is met. So it is set higher by more than is charged at once (64 pages).
constexpr std::uint64_t kSwapLeewayBytes = std::uint64_t{1} << 20;

std::optional<std::uint64_t> ReadBytes(const Cgroup& group, const std::string& file) {
  return LeadingNumber(ReadText(group.directory() + "/" + file).value_or(""));
}

// Whether it was written: only ever used for what may be missing or refused.
bool WriteIfThere(const Cgroup& group, const std::string& file, std::string_view value) {
  if (::access((group.directory() + "/" + file).c_str(), F_OK) != 0) return false;
  try {
    group.Write(file, value, "");
    return true;
  } catch (const CgroupError&) {
    return false;
  }
}

}  // namespace

MemoryLimit::MemoryLimit(GroupSet& groups, std::uint64_t limit_bytes)
    : group_(groups.For(Controller::kMemory)) {
  const bool v2 = group_->version() == 2;
  const std::string file = v2 ? "memory.max" : "memory.limit_in_bytes";
  group_->Write(file, std::to_string(limit_bytes), "set the memory limit");
  if (v2) {
    limits_swap_ = WriteIfThere(*group_, "memory.swap.max", "0");
  } else {
    limits_swap_ = WriteIfThere(*group_, "memory.memsw.limit_in_bytes",
                                std::to_string(limit_bytes + kSwapLeewayBytes));
    WriteIfThere(*group_, "memory.swappiness", "0");
  }
  limit_bytes_ = ReadBytes(*group_, file).value_or(limit_bytes);
}

std::uint64_t MemoryLimit::ChargedBytes() const {
  const std::string file = group_->version() == 2 ? "memory.current" : "memory.usage_in_bytes";
  return LeadingNumber(group_->Read(file)).value_or(0);
}

std::optional<std::uint64_t> MemoryLimit::PeakBytes() const {
  return ReadBytes(*group_, group_->version() == 2 ? "memory.peak" : "memory.max_usage_in_bytes");
}

bool MemoryLimit::ForgetPeak() {
  if (group_->version() == 2) return false;
  try {
    group_->Write("memory.max_usage_in_bytes", "0", "");
    return true;
  } catch (const CgroupError&) {
    return false;
  }
}

Counters MemoryLimit::ReadCounters() const {
  Counters counters = ParseCounters(group_->Read("memory.stat"));
  const auto take = [&counters](const Counters& from, std::string_view name, std::string_view as) {
    if (const auto value = Find(from, name)) counters.insert_or_assign(std::string(as), *value);
  };
  const auto read = [this](const char* file) {
    return ReadText(group_->directory() + "/" + file).value_or("");
  };
  if (group_->version() == 2) {
    const Counters events = ParseCounters(read("memory.events"));
    take(events, "max", "limit_hits");
    take(events, "oom_kill", "oom_kills");
  } else {
    if (const auto hits = LeadingNumber(read("memory.failcnt"))) {
      counters.insert_or_assign("limit_hits", static_cast<std::int64_t>(*hits));
    }
    take(ParseCounters(read("memory.oom_control")), "oom_kill", "oom_kills");
  }
  return counters;
}

void MemoryLimit::Reclaim() {
  if (group_->version() == 2) {
    WriteIfThere(*group_, "memory.reclaim", std::to_string(ChargedBytes()));
  } else {
    WriteIfThere(*group_, "memory.force_empty", "0");
  }
}

std::optional<std::uint64_t> InheritedMemoryLimit(const CgroupPaths& paths) {
  const int version = CgroupVersion(Controller::kMemory, paths);
  std::optional<std::uint64_t> lowest;
  for (const std::string& directory : OwnGroups(Controller::kMemory, paths)) {
    std::optional<std::uint64_t> limit;
    if (version == 2) {
      limit = LeadingNumber(ReadText(directory + "/memory.max").value_or(""));
    } else {
      limit = LeadingNumber(ReadText(directory + "/memory.limit_in_bytes").value_or(""));
      // Version 1 writes "no limit" as the highest number of whole pages.
      if (limit && *limit >= (std::uint64_t{1} << 62)) limit.reset();
    }
    if (limit) lowest = std::min(lowest.value_or(*limit), *limit);
  }
  return lowest;
}

}  // namespace mr::os
