// The kernel's counters as values: read before and after a run, and take the difference.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mr::os {

// Named counters. Names are the kernel's own, so that one can look them up.
using Counters = std::map<std::string, std::int64_t, std::less<>>;

// "name value" lines, as /proc/vmstat and memory.stat have them. Other lines are passed over.
Counters ParseCounters(std::string_view text);

// /proc/vmstat. Mind that pgscan_kswapd, pgscan_direct and pgsteal_* of that kind count reclaim
// of the whole machine only; pgscan_file, pgsteal_file and workingset_refault_file count reclaim
// within memory groups too. Empty when the file cannot be read.
Counters ReadVmstat(const std::string& path = "/proc/vmstat");

// Pressure stall totals in microseconds: "io.some", "io.full", "memory.some", "memory.full",
// "cpu.some". Empty on kernels without PSI.
Counters ReadPressure(const std::string& directory = "/proc/pressure");

// Times that the CPUs of the machine spent since it was started, all together, in microseconds:
// "busy" (for anybody), "idle" (waiting for IO included), "steal" (taken by the host of a virtual
// machine). Steps of 1/100 s. Empty when the file cannot be read.
Counters ReadCpuTimes(const std::string& path = "/proc/stat");

// after - before, for the names that both have.
Counters Difference(const Counters& after, const Counters& before);

std::optional<std::int64_t> Find(const Counters& counters, std::string_view name);

}  // namespace mr::os
