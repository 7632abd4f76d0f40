#include "os/stack_overflow.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace mr::os {
namespace {

volatile bool enough = false;

// Without end, and not to be made a loop of.
[[gnu::noinline]] int Descend(const volatile char* above) {
  volatile char here[256];
  here[0] = above == nullptr ? '\0' : above[0];
  return enough ? 0 : Descend(here) + here[0];
}

TEST(StackOverflowDeathTest, EndsTheProcessWithAMessageInEveryThreadThatHasAnAlternateStack) {
  const auto report = [] { ReportStackOverflow("it: stack overflow", 7); };
  EXPECT_EXIT(
      {
        report();
        const AlternateStack stack;
        Descend(nullptr);
      },
      ::testing::ExitedWithCode(7), "^it: stack overflow\n$");
  EXPECT_EXIT(
      {
        report();
        std::thread([] {
          const AlternateStack stack;
          Descend(nullptr);
        }).join();
      },
      ::testing::ExitedWithCode(7), "^it: stack overflow\n$");
}

TEST(StackOverflowDeathTest, LeavesOtherInvalidAccessesAsTheyAre) {
  EXPECT_EXIT(
      {
        ReportStackOverflow("it: stack overflow", 7);
        const AlternateStack stack;
        void* nowhere = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *static_cast<volatile char*>(nowhere) = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace mr::os
