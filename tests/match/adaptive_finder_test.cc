#include "match/adaptive_finder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "match/engine.h"

namespace mr::match {
namespace {

std::unique_ptr<Engine> EngineFor(const std::string& pattern) {
  pattern::Source source;
  source.syntax = pattern::Syntax::kExtended;
  source.charset = pattern::Charset::kBytes;
  source.patterns = {pattern};
  return Engine::Compile(source);
}

std::size_t CandidatesIn(CandidateFinder& finder, const std::string& text) {
  std::size_t candidates = 0;
  finder.Scan(text, [&](std::size_t at) {
    ++candidates;
    return std::min(text.find('\n', at), text.size() - 1) + 1;
  });
  return candidates;
}

std::string Repeated(const std::string& line, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += line;
  return text;
}

class AdaptiveFinderFor : public testing::TestWithParam<const char*> {};

// A required literal, and sequences: each of the lines is a candidate, none of them matches.
TEST_P(AdaptiveFinderFor, LeavesDenseCandidatesToTheAutomatonAndComesBack) {
  const auto engine = EngineFor(GetParam());
  const auto finder = engine->NewCandidateFinder();
  ASSERT_NE(finder, nullptr);
  if (finder->exact()) return;  // an automaton from the beginning: no vector instructions
  const std::string dense = Repeated("is wait_queue #1 and #2 of\n", 100000);
  EXPECT_GT(CandidatesIn(*finder, dense), 1000U);
  for (int scan = 0; scan < 64; ++scan) {
    ASSERT_TRUE(finder->exact());
    ASSERT_FALSE(finder->stops_at_nul());
    ASSERT_EQ(CandidatesIn(*finder, dense), 0U) << scan;
  }
  ASSERT_FALSE(finder->exact());
  ASSERT_TRUE(finder->stops_at_nul());
  const std::string sparse = Repeated("nothing of interest here\n", 100000) + "wait_queue #1\n";
  for (int scan = 0; scan < 10; ++scan) {
    EXPECT_EQ(CandidatesIn(*finder, sparse), 1U);
    EXPECT_FALSE(finder->exact());
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, AdaptiveFinderFor,
                         testing::Values("wait_queue.*[0-9]x", "#1.*#3|_queue.*[0-9]x"));

TEST(AdaptiveFinder, KeepsTheFinderWhereThereIsNoAutomaton) {
  int asked = 0;
  const auto engine = EngineFor("wait_queue");
  auto finder = NewAdaptiveFinder(engine->NewCandidateFinder(), [&]() -> const AutomatonPlan* {
    ++asked;
    return nullptr;
  });
  const std::string dense = Repeated("wait_queue\n", 100000);
  const std::size_t lines = CandidatesIn(*finder, dense);
  for (int scan = 0; scan < 5; ++scan) EXPECT_EQ(CandidatesIn(*finder, dense), lines);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace mr::match
