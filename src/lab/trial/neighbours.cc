#include "lab/trial/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace mr::lab {
namespace {

// /proc/stat counts in steps of 10 ms per CPU: below this much time of all CPUs a share is noise.
constexpr double kShortestUs = 500'000;
// Frequencies that differ by more than this part make times of runs incomparable.
constexpr double kFrequencyRange = 0.10;

double AllCpuUs(const Observation& row) {
  double sum = 0;
  for (const char* name : {"busy", "idle", "steal"}) {
    sum += static_cast<double>(os::Find(row.cpu, name).value_or(0));
  }
  return sum;
}

double StealShare(const Observation& row) {
  const double all = AllCpuUs(row);
  if (all < kShortestUs) return 0;
  return static_cast<double>(os::Find(row.cpu, "steal").value_or(0)) / all;
}

std::int64_t Sum(const os::Counters& counters, std::initializer_list<const char*> names) {
  std::int64_t sum = 0;
  for (const char* name : names) sum += os::Find(counters, name).value_or(0);
  return sum;
}

}  // namespace

std::uint64_t NeighbourDiskBytes(const Observation& row) {
  // In units of 1024 bytes, whatever the page size.
  const std::int64_t all = os::Find(row.vmstat, "pgpgin").value_or(0) * 1024;
  const auto own = static_cast<std::int64_t>(row.disk_bytes());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(all - own, 0));
}

double NeighbourCpuShare(const Observation& row) {
  const double all = AllCpuUs(row);
  if (all < kShortestUs) return 0;
  const double own = static_cast<double>((row.usage.user + row.usage.system).count());
  const double busy = static_cast<double>(os::Find(row.cpu, "busy").value_or(0));
  return std::max(busy - own, 0.0) / all;
}

std::vector<std::string> FindDisturbances(std::uint64_t file_bytes,
                                          std::span<const Observation> rows) {
  std::size_t ran = 0;
  double slowest_mhz = 0;
  double fastest_mhz = 0;
  for (const Observation& row : rows) {
    if (row.real.count() > 0) ++ran;
    if (const auto& mhz = row.trace.cpu_mhz) {
      slowest_mhz = slowest_mhz == 0 ? *mhz : std::min(slowest_mhz, *mhz);
      fastest_mhz = std::max(fastest_mhz, *mhz);
    }
  }
  std::vector<std::string> sentences;
  const auto report = [&](const std::function<bool(const Observation&)>& is_disturbed,
                          const std::string& what) {
    const auto count = std::count_if(rows.begin(), rows.end(), is_disturbed);
    if (count > 0) sentences.push_back(fmt::format("in {} of {} trials {}", count, ran, what));
  };
  report(
      [&](const Observation& row) {
        return static_cast<double>(NeighbourDiskBytes(row)) >
               kNeighbourDiskShare * static_cast<double>(file_bytes);
      },
      fmt::format("other processes read more from disks than {:.0f} % of the data's size",
                  100 * kNeighbourDiskShare));
  report(
      [](const Observation& row) { return NeighbourCpuShare(row) > kNeighbourCpuShare; },
      fmt::format("other processes used more than {:.0f} % of the CPUs", 100 * kNeighbourCpuShare));
  report([](const Observation& row) { return StealShare(row) > kStealShare; },
         fmt::format("the host of this virtual machine took more than {:.0f} % of the CPUs",
                     100 * kStealShare));
  report(
      [](const Observation& row) {
        return Sum(row.vmstat, {"pswpin", "pswpout"}) > 0;
      },
      "the machine swapped");
  report([](const Observation& row) { return Sum(row.group, {"oom_kills"}) > 0; },
         "the kernel killed a process because the memory limit was too small for it");
  if (slowest_mhz < (1 - kFrequencyRange) * fastest_mhz) {
    sentences.push_back(fmt::format("the CPUs ran at {:.0f} to {:.0f} MHz from trial to trial",
                                    slowest_mhz, fastest_mhz));
  }
  return sentences;
}

}  // namespace mr::lab
