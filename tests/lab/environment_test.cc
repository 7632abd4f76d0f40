#include "lab/trial/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "lab/plan/plan.h"
#include "sample_observations.h"

namespace mr::lab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Surroundings QuietMachine() {
  Surroundings surroundings;
  surroundings.machine.cpus = 2;
  surroundings.machine.load = 0.1;
  surroundings.machine.swap_bytes = 0;
  return surroundings;
}

TEST(Warnings, AreNoneOnAQuietMachineWithEnoughBlocks) {
  EXPECT_THAT(FindWarnings(TwoArms(10), QuietMachine(), false), IsEmpty());
}

TEST(Warnings, OfSwapWhereverTheArmsCanSwap) {
  struct Case {
    std::optional<std::uint64_t> swap_bytes;
    bool has_memory_limit;
    bool swap_is_limited;
    const char* warning;  // nullptr: none
  };
  constexpr const char* kMachine = "swap is on: the machine may make room by swapping";
  constexpr const char* kArms = "swap is on and the memory limit does not hold for it: the arms";
  for (const Case& tested :
       {Case{1 << 30, false, false, kMachine}, Case{1 << 30, true, false, kArms},
        Case{1 << 30, true, true, nullptr}, Case{0, false, false, nullptr},
        Case{0, true, false, nullptr}, Case{{}, true, false, nullptr}}) {
    Plan plan = TwoArms(10);
    if (tested.has_memory_limit) plan.memory_bytes = 64 << 20;
    Surroundings surroundings = QuietMachine();
    surroundings.machine.swap_bytes = tested.swap_bytes;
    const auto warnings = FindWarnings(plan, surroundings, tested.swap_is_limited);
    if (tested.warning == nullptr) {
      EXPECT_THAT(warnings, Not(Contains(HasSubstr("swap"))));
    } else {
      EXPECT_THAT(warnings, Contains(StartsWith(tested.warning)));
    }
  }
}

TEST(Warnings, OfALimitTooCloseToTheReadAhead) {
  Plan plan = TwoArms(10);
  Surroundings surroundings = QuietMachine();
  surroundings.file_system.read_ahead_kib = 128;
  plan.memory_bytes = 32 * 128 * 1024;
  EXPECT_THAT(FindWarnings(plan, surroundings, true), Not(Contains(HasSubstr("read-ahead"))));
  --*plan.memory_bytes;
  EXPECT_THAT(FindWarnings(plan, surroundings, true), Contains(HasSubstr("read-ahead")));
}

}  // namespace
}  // namespace mr::lab
