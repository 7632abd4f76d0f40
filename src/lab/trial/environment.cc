#include "lab/trial/environment.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "io/size.h"
#include "lab/analysis/paired_ratio.h"
#include "os/process.h"

namespace mr::lab {
namespace {

// A memory limit has to hold many read-ahead windows, or a mapped file's read-around evicts what
// it has just read and that dominates every figure.
constexpr std::uint64_t kReadAheadWindows = 32;

// More processes than this part of the CPUs want to run.
constexpr double kBusyLoad = 0.5;

std::string AskVersion(const std::string& program) {
  static constexpr std::array<std::string_view, 7> kAnswering = {"mrgrep", "grep", "egrep", "fgrep",
                                                                 "rg",     "ag",   "ugrep"};
  const std::string name = std::filesystem::path(program).filename();
  for (const std::string_view known : kAnswering) {
    if (name != known) continue;
    os::Command command;
    command.arguments = {program, "--version"};
    command.input = os::Stream::Null();
    command.output = os::Stream::Capture();
    command.error = os::Stream::Null();
    command.timeout = std::chrono::seconds(5);
    const os::ProcessResult result = os::Run(command);
    if (!result.succeeded()) return "";
    return result.output.text.substr(0, result.output.text.find('\n'));
  }
  return "";
}

template <typename T>
void PutIfKnown(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

}  // namespace

Surroundings DescribeSurroundings(const Plan& plan, const std::vector<std::string>& programs) {
  Surroundings result{.machine = os::DescribeMachine(),
                      .file_system = os::DescribeFileSystem(plan.file),
                      .programs = programs,
                      .versions = {}};
  for (const std::string& program : programs) result.versions.push_back(AskVersion(program));
  return result;
}

Json ToJson(const os::Machine& machine) {
  Json about_machine = {{"host", machine.host},
                        {"kernel", machine.kernel},
                        {"architecture", machine.architecture},
                        {"cpu_model", machine.cpu_model},
                        {"cpus", machine.cpus},
                        {"memory_bytes", machine.memory_bytes},
                        {"page_bytes", machine.page_bytes},
                        {"memory_cgroup_version", machine.memory_cgroup_version}};
  PutIfKnown(about_machine, "swap_bytes", machine.swap_bytes);
  PutIfKnown(about_machine, "transparent_huge_pages", machine.transparent_huge_pages);
  PutIfKnown(about_machine, "cpu_governor", machine.cpu_governor);
  PutIfKnown(about_machine, "cpu_mhz", machine.cpu_mhz);
  PutIfKnown(about_machine, "load", machine.load);
  PutIfKnown(about_machine, "swappiness", machine.swappiness);
  PutIfKnown(about_machine, "multi_gen_lru", machine.multi_gen_lru);
  return about_machine;
}

Json ToJson(const os::FileSystem& file_system) {
  Json about_files = {{"type", file_system.type},
                      {"mount_point", file_system.mount_point},
                      {"mount_options", file_system.mount_options},
                      {"source", file_system.source},
                      {"device", file_system.device},
                      {"free_bytes", file_system.free_bytes},
                      {"total_bytes", file_system.total_bytes}};
  PutIfKnown(about_files, "read_ahead_kib", file_system.read_ahead_kib);
  PutIfKnown(about_files, "disk", file_system.disk);
  PutIfKnown(about_files, "scheduler", file_system.scheduler);
  PutIfKnown(about_files, "rotational", file_system.rotational);
  return about_files;
}

Json ToJson(const Surroundings& surroundings) {
  return {{"machine", ToJson(surroundings.machine)},
          {"file_system", ToJson(surroundings.file_system)},
          {"programs", surroundings.programs},
          {"versions", surroundings.versions}};
}

std::vector<std::string> FindWarnings(const Plan& plan, const Surroundings& surroundings,
                                      bool swap_is_limited) {
  std::vector<std::string> warnings;
  const auto& read_ahead_kib = surroundings.file_system.read_ahead_kib;
  if (plan.memory_bytes && read_ahead_kib) {
    const std::uint64_t needed_bytes = kReadAheadWindows * *read_ahead_kib * 1024;
    if (*plan.memory_bytes < needed_bytes) {
      warnings.push_back(fmt::format(
          "the memory limit {} is less than {} times the read-ahead of {} ({}): read-ahead will "
          "dominate the figures",
          io::FormatSize(*plan.memory_bytes), kReadAheadWindows,
          io::FormatSize(*read_ahead_kib * 1024), io::FormatSize(needed_bytes)));
    }
  }
  if (plan.memory_bytes) {
    warnings.push_back(
        "memory-limited: pages are reclaimed by the arms themselves, so sys times are higher than "
        "on a machine of that size");
  }
  if (surroundings.machine.swap_bytes.value_or(0) > 0 && !swap_is_limited) {
    warnings.push_back(
        plan.memory_bytes
            ? "swap is on and the memory limit does not hold for it: the arms may make room by "
              "swapping instead of dropping data"
            : "swap is on: the machine may make room by swapping instead of dropping data");
  }
  const os::Machine& machine = surroundings.machine;
  if (machine.load && *machine.load > kBusyLoad * machine.cpus) {
    warnings.push_back(
        fmt::format("the machine is busy: a load of {:.1f} on {} CPUs before the first trial",
                    *machine.load, machine.cpus));
  }
  if (machine.cpu_governor && *machine.cpu_governor != "performance") {
    warnings.push_back(
        fmt::format("the CPUs change their frequency (governor {})", *machine.cpu_governor));
  }
  const int arms = static_cast<int>(plan.arms.size());
  const int blocks = BlocksForClaim(arms * (arms - 1));
  if (plan.blocks < blocks) {
    warnings.push_back(
        fmt::format("{} blocks: at least {} are needed for a claim", plan.blocks, blocks));
  }
  return warnings;
}

}  // namespace mr::lab
