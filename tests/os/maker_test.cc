#include "os/maker.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "scratch.h"

namespace mr::os {
namespace {

// A mark with one of its parts (boot, namespace, number, start time) replaced.
std::string With(std::string mark, int part, const std::string& text) {
  std::size_t begin = 0;
  for (; part > 0; --part) begin = mark.find('-', begin) + 1;
  const std::size_t end = mark.find('-', begin);
  return mark.replace(begin, end == std::string::npos ? end : end - begin, text);
}

TEST(Maker, ThatLivesIsNotDead) {
  EXPECT_FALSE(IsMarkOfTheDead(OwnMark()));
  EXPECT_EQ(OwnMark(), OwnMark());
}

TEST(Maker, ThatHasEndedIsDead) {
  EXPECT_TRUE(IsMarkOfTheDead(MarkOfTheDead()));
  EXPECT_TRUE(IsMarkOfTheDead(With(OwnMark(), 2, "4194305"))) << "a number beyond all";
  EXPECT_TRUE(IsMarkOfTheDead(With(OwnMark(), 3, "1"))) << "our number, at another time";
}

TEST(Maker, ThatNobodyHasReapedYetIsDead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string mark = OwnMark();
    ::_exit(::write(ends[1], mark.data(), mark.size()) > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  char mark[200] = {};
  ASSERT_GT(::read(ends[0], mark, sizeof mark - 1), 0);
  ::close(ends[0]);
  EXPECT_TRUE(IsMarkOfTheDead(mark));
  ::waitpid(pid, nullptr, 0);
}

TEST(Maker, ThatCannotBeSeenFromHereIsNotTakenForDead) {
  const std::string dead = MarkOfTheDead();
  for (const std::string& mark :
       {With(dead, 0, "0123456789abcdef0123456789abcdef"), With(dead, 1, "4026530000"),
        With(dead, 2, "x"), With(dead, 2, ""), With(dead, 3, ""), With(dead, 3, "1x"),
        std::string("0-0-4194305-1"), std::string("4194305-123"), std::string("---"),
        std::string()}) {
    EXPECT_FALSE(IsMarkOfTheDead(mark)) << mark;
  }
}

TEST(Maker, InAnotherPidNamespaceIsNotTakenForDead) {
  const std::string dead = MarkOfTheDead();
  const std::string failure = InChild(false, [&dead]() -> std::string {
    if (::unshare(CLONE_NEWPID) != 0) return "missing: the right to make a PID namespace";
    return InChild(false, [&dead]() -> std::string {
      if (IsMarkOfTheDead(dead)) return "outside dead";
      return IsMarkOfTheDead(With(OwnMark(), 3, "1")) ? "with a /proc of others" : "";
    });
  });
  if (failure.starts_with("missing")) {
    std::cout << failure << "\n";
  } else {
    EXPECT_EQ(failure, "");
  }
}

}  // namespace
}  // namespace mr::os
