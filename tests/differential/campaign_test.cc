// A minute of random searches, judged by the installed GNU grep. MRGREP_TEST_SEED=N chooses other
// ones; differential_tool runs as many as one likes.

#include "differential/campaign.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "differential/compare.h"

namespace differential {
namespace {

std::uint64_t Seed() {
  const char* given = std::getenv("MRGREP_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20261130;
}

CampaignPlan Plan(std::uint64_t cases, std::chrono::seconds time) {
  CampaignPlan plan;
  plan.seed = Seed();
  plan.cases = cases;
  plan.time = time;
  plan.threads = std::max(1U, std::thread::hardware_concurrency());
  plan.subject = MRGREP_BINARY;
  plan.variants = IoVariants();
  plan.most_failures = 3;
  return plan;
}

void ExpectAgreement(const CampaignPlan& plan) {
  const CampaignResult result = RunCampaign(plan);
  std::cout << "seed " << plan.seed << ": " << result.compared << " cases, " << result.runs
            << " runs\n";
  for (const auto& variant : result.unusable) std::cout << "cannot be used: " << variant << "\n";
  for (const auto& [name, count] : result.explained) {
    std::cout << "explained: " << name << ": " << count << "\n";
  }
  EXPECT_GT(result.compared, 0U);
  for (const std::string& failure : result.failures) {
    ADD_FAILURE() << "seed " << plan.seed << ", " << failure;
  }
}

TEST(Campaign, MrgrepPrintsWhatGnuGrepPrints) {
  ExpectAgreement(Plan(5000, std::chrono::seconds(MRGREP_LONG_TESTS ? 50 : 5)));
}

TEST(Campaign, EveryCasePrintsTheSameInEveryIoModeAndNumberOfThreads) {
  CampaignPlan plan = Plan(600, std::chrono::seconds(MRGREP_LONG_TESTS ? 15 : 3));
  plan.first = 1'000'000;
  plan.all_variants = true;
  ExpectAgreement(plan);
}

TEST(KnownDifferences, AreAllInTheManual) {
  std::ifstream file(PROJECT_ROOT "/man/mrgrep.1");
  std::stringstream text;
  text << file.rdbuf();
  const std::string manual = text.str();
  const std::string section = manual.substr(manual.find(".Sh DIFFERENCES"));
  for (const KnownDifference& known : KnownDifferences()) {
    EXPECT_NE(section.find(known.manual_words), std::string::npos) << known.name;
  }
  EXPECT_NE(section.find("come sorted by their paths"), std::string::npos);
  EXPECT_NE(section.find("in words of its own"), std::string::npos);
  EXPECT_NE(section.find("several mistakes"), std::string::npos);
}

}  // namespace
}  // namespace differential
