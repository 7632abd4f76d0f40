// The differential harness itself: that it finds what is there to be found.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "differential/campaign.h"
#include "differential/case_generator.h"
#include "differential/compare.h"
#include "differential/shrink.h"

namespace differential {
namespace {

namespace fs = std::filesystem;

CampaignPlan Plan(std::uint64_t seed, std::uint64_t cases) {
  CampaignPlan plan;
  plan.seed = seed;
  plan.cases = cases;
  plan.threads = 2;
  return plan;
}

// A grep that forgets its -x.
class ForgetfulGrep : public ::testing::Test {
 protected:
  ForgetfulGrep() {
    path_ = fs::temp_directory_path() / fmt::format("forgetful-{}", getpid());
    std::ofstream(path_) << "#!/bin/sh\n"
                            "left=$#\n"
                            "while [ $left -gt 0 ]; do\n"
                            "  argument=$1; shift; left=$((left - 1))\n"
                            "  [ \"$argument\" = -x ] || set -- \"$@\" \"$argument\"\n"
                            "done\n"
                            "exec grep \"$@\"\n";
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~ForgetfulGrep() override { fs::remove(path_); }

  fs::path path_;
};

TEST_F(ForgetfulGrep, IsCaughtAndTheCaseShrunk) {
  CampaignPlan plan = Plan(7, 400);
  plan.subject = path_;
  plan.most_failures = 1;
  const CampaignResult result = RunCampaign(plan);
  ASSERT_FALSE(result.failures.empty());
  const std::string& report = result.failures[0];
  EXPECT_NE(report.find("'-x'"), std::string::npos) << report;
  EXPECT_LT(report.size(), 400U) << report;
}

TEST(Campaign, GnuGrepAgreesWithItselfAndItsCasesAreOfEveryKind) {
  CampaignPlan plan = Plan(13, 250);
  plan.subject = plan.reference.path;
  CampaignResult result = RunCampaign(plan);
  EXPECT_EQ(result.failures, std::vector<std::string>{});
  EXPECT_EQ(result.runs, 500U);
  EXPECT_GT(result.statuses[0], 100U) << "few cases select a line";
  EXPECT_GT(result.statuses[1], 25U) << "few cases select none";
  EXPECT_GT(result.statuses[2], 10U) << "few cases fail";
}

TEST(Runner, TakesACaseWithArgumentsThatAreTooLongForOneThatDoesNotEnd) {
  Case test_case;
  test_case.patterns = {std::string(1 << 20, 'a')};
  Runner runner;
  runner.Prepare(test_case);
  EXPECT_TRUE(runner.Run({.path = "/usr/bin/grep", .leading = {}}, test_case).timed_out);
}

// A grep that does something else with --mmap.
class MappingGrep {
 public:
  explicit MappingGrep(const std::string& instead)
      : path_(fs::temp_directory_path() / fmt::format("mapping-{}", getpid())) {
    std::ofstream(path_) << "#!/bin/sh\n[ \"$1\" = --mmap ] || exec grep \"$@\"\n"
                         << instead << "\n";
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~MappingGrep() { fs::remove(path_); }
  MappingGrep(const MappingGrep&) = delete;
  MappingGrep& operator=(const MappingGrep&) = delete;

  CampaignResult Run() const {
    CampaignPlan plan = Plan(13, 5);
    plan.subject = path_;
    plan.variants = {{}, {"--mmap"}};
    return RunCampaign(plan);
  }

 private:
  fs::path path_;
};

TEST(Campaign, LeavesOutAnIoModeThatTheMachineRefuses) {
  const CampaignResult result =
      MappingGrep("echo 'grep: f0: not a file of known size' >&2; exit 2").Run();
  EXPECT_EQ(result.unusable, std::vector<std::string>{"--mmap"});
  EXPECT_EQ(result.failures, std::vector<std::string>{});
}

TEST(Campaign, ReportsAnIoModeThatCannotEvenDoTheSimplestCase) {
  for (const char* instead : {"kill -SEGV $$", "exit 1", "echo 'grep: f0: wrong' >&2; exit 2"}) {
    const CampaignResult result = MappingGrep(instead).Run();
    EXPECT_EQ(result.unusable, std::vector<std::string>{}) << instead;
    ASSERT_EQ(result.failures.size(), 1U) << instead;
    EXPECT_NE(result.failures[0].find("--mmap"), std::string::npos) << result.failures[0];
  }
}

TEST(CaseGenerator, SameSeedAndNumberGiveTheSameCase) {
  const auto script = [](std::uint64_t seed, std::uint64_t number) {
    return ShellScript(MakeCase(seed, number), "grep", {});
  };
  for (std::uint64_t number = 0; number < 20; ++number) {
    EXPECT_EQ(script(5, number), script(5, number));
    EXPECT_NE(script(5, number), script(6, number));
    EXPECT_NE(script(5, number), script(5, number + 1));
  }
}

TEST(Shrink, LeavesOnlyWhatTheFailureNeeds) {
  Case test_case;
  test_case.locale = "C.UTF-8";
  test_case.options = {"-n", "-i", "-A3", "-v"};
  test_case.patterns = {"one", "two[xyz]*"};
  test_case.files = {{"f0", "first\nsecond line\n"}, {"f1", "other\n"}};
  test_case.operands = {"f0", "f1", "missing"};
  test_case.one_stream = true;
  const Case small = Shrink(test_case, [](const Case& candidate) {
    bool pattern = false;
    for (const auto& text : candidate.patterns) pattern |= text.find('y') != std::string::npos;
    return pattern && candidate.HasOption("-i") && !candidate.files.empty() &&
           candidate.files[0].bytes.find("nd l") != std::string::npos;
  });
  EXPECT_EQ(small.locale, "C");
  EXPECT_EQ(small.options, std::vector<std::string>{"-i"});
  EXPECT_EQ(small.patterns, std::vector<std::string>{"y"});
  ASSERT_EQ(small.files.size(), 1U);
  EXPECT_EQ(small.files[0].bytes, "nd l");
  EXPECT_TRUE(small.operands.empty());
  EXPECT_FALSE(small.one_stream);
}

TEST(Compare, ProgramNameDoesNotCountButTheRestDoes) {
  RunResult reference{2, false, "a\n", "grep: x: No such file or directory\n"};
  RunResult subject{2, false, "a\n", "mrgrep: x: No such file or directory\n"};
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kNone);
  subject.errors = "mrgrep: y: No such file or directory\n";
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kErrors);
  subject.output = "a";
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kOutput);
  subject.status = 1;
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kStatus);
  subject.timed_out = true;
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kTimeLimit);
  reference.timed_out = true;
  EXPECT_EQ(FirstDifference(reference, subject), Aspect::kNone);
}

}  // namespace
}  // namespace differential
