// Boots scripts/lab-vm with small sizes. Where QEMU or a kernel is missing it says which.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "lab/compare/log.h"
#include "lab/log/log.h"
#include "os/descriptor.h"
#include "os/process.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr int kMachineLacksSomething = 77;
constexpr const char* kData = "12000000";
constexpr const char* kScript = PROJECT_ROOT "/scripts/lab-vm";

class LabVm : public ::testing::Test {
 protected:
  // Emulated, as everywhere: a machine that has KVM must not be the only one where it works.
  std::vector<std::string> Arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        kScript,  "--programs", std::filesystem::path(MRBENCH_BINARY).parent_path(),
        "--out",  Out(""),      "--accel",
        "tcg",    "--timeout",  "250",
        "--size", kData,        "--disk-rate",
        "8000000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::string Out(const std::string& name) const { return directory_.path() / "out" / name; }

  // Under a sanitizer, and emulated on top of that, mrbench is too slow.
  static bool IsWanted() {
    if (!MRGREP_LONG_TESTS) std::cout << "missing: the wish for long tests in this build\n";
    return MRGREP_LONG_TESTS;
  }

  // Whether the rest of a test makes sense.
  static bool IsPossible(const os::ProcessResult& result) {
    if (result.shell_status() != kMachineLacksSomething) return true;
    EXPECT_THAT(result.error.text, HasSubstr("lab-vm: needs "));
    std::cout << "missing: " << result.error.text;
    return false;
  }

  test::TempDir directory_;
};

TEST_F(LabVm, RunsPairsOnAWholeMachineOfTheGivenMemory) {
  if (!IsWanted()) return;
  const os::ProcessResult result = test::RunProgram(
      Arguments({"--memory", "128", "--mglru", "off", "pairs", "--blocks", "1", "--expect", "0"}));
  if (!IsPossible(result)) return;
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("5 of 5 trials, 5 of them count"));

  const lab::LogContents log = lab::ReadLog(Out("pairs.jsonl"));
  const lab::Json& machine = log.header.environment.at("machine");
  EXPECT_LT(machine.at("memory_bytes").get<std::uint64_t>(), std::uint64_t{128} << 20);
  EXPECT_GT(machine.at("memory_bytes").get<std::uint64_t>(), std::uint64_t{80} << 20);
  EXPECT_EQ(machine.at("memory_cgroup_version"), 2);
  EXPECT_EQ(machine.value("multi_gen_lru", true), false);
  ASSERT_EQ(log.observations.size(), 5u);
  EXPECT_EQ(log.observations[0].before.resident_pages, 0u);
  EXPECT_GE(log.observations[0].disk_bytes(), log.header.plan.file_bytes);
}

TEST_F(LabVm, RemovesWhatKilledRunsLeftAndNothingElse) {
  const fs::path place = directory_.path() / "tmp";
  const auto made = [&place](const char* name) { return place / ("lab-vm." + std::string(name)); };
  for (const char* name : {"killed", "living"}) {
    fs::create_directories(made(name) / "system");
    std::ofstream(made(name) / "lock");
  }
  fs::create_directories(made("nolock"));
  const os::Descriptor owner(::open((made("living") / "lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(owner.get(), LOCK_EX), 0);
  // It gets as far as to look for the program.
  os::Command command;
  command.arguments = Arguments({"run", "no-such-program"});
  command.environment = {{"TMPDIR", place.string()}};
  const os::ProcessResult result = test::RunCaptured(command);
  if (!IsPossible(result)) return;
  EXPECT_EQ(result.error.text, "lab-vm: no such program\n");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(place)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, UnorderedElementsAre("lab-vm.living", "lab-vm.nolock"));
}

TEST_F(LabVm, ComparesADiskWithTheSameDiskThroughTheKernelsNfs) {
  if (!IsWanted()) return;
  const os::ProcessResult result = test::RunProgram(Arguments(
      {"--memory", "256", "compare", "--at", "memory=/tmp", "--blocks", "1", "--expect", "0"}));
  if (!IsPossible(result)) return;
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("10 of 10 trials, 10 of them count"));
  EXPECT_THAT(result.output.text, HasSubstr("served from /data/data of this machine"));

  const lab::CompareLog log = lab::ParseCompareLog(lab::ReadLogFile(Out("compare.jsonl")));
  ASSERT_EQ(log.header.plan.places.size(), 3u);
  EXPECT_EQ(log.header.plan.places[1].type, "nfs4");
  EXPECT_EQ(log.header.plan.places[2].starts, std::vector{lab::CacheStart::kWarm});
  for (const lab::CompareObservation& row : log.observations) {
    const bool cold = row.trial.start == lab::CacheStart::kCold;
    EXPECT_EQ(row.row.before.resident_pages, cold ? 0 : row.row.before.total_pages);
    ASSERT_EQ(row.nfs.has_value(), row.trial.place == 1);
    if (!row.nfs) continue;
    if (cold) {
      EXPECT_EQ(row.backing_before_pages, 0u);
      EXPECT_GE(os::Find(*row.nfs, "server_read_bytes"), std::stol(kData));
      EXPECT_GT(os::Find(*row.nfs, "READ.calls"), 0);
    } else {
      EXPECT_EQ(os::Find(*row.nfs, "READ.calls").value_or(0), 0);
    }
  }
}

TEST_F(LabVm, GoesOnAfterItWasEnded) {
  if (!IsWanted()) return;
  std::vector<std::string> arguments = Arguments({"--memory", "128", "pairs", "--blocks", "2"});
  arguments.insert(arguments.begin(), {"sh", "-c",
                                       "\"$@\" & machine=$!\n"
                                       "until [ -s '" +
                                           Out("console") +
                                           "' ] || ! kill -0 $machine; do sleep 0.1; done\n"
                                           "sleep 1; kill -TERM $machine; wait $machine",
                                       "sh"});
  const os::ProcessResult ended = test::RunProgram(arguments);
  if (!IsPossible(ended)) return;
  EXPECT_EQ(ended.shell_status(), 128 + SIGTERM);
  EXPECT_THAT(ended.error.text, HasSubstr("--resume " + Out("")));

  const os::ProcessResult resumed = test::RunProgram({kScript, "--resume", Out("")});
  EXPECT_EQ(resumed.shell_status(), 0) << resumed.error.text;
  EXPECT_THAT(resumed.output.text, HasSubstr("10 of 10 trials, 10 of them count"));
}

}  // namespace
}  // namespace mr
