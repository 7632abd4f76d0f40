#include "match/engine.h"

#include <gtest/gtest.h>

#include <clocale>
#include <random>
#include <string>

namespace mr::match {
namespace {

using pattern::PatternError;
using pattern::Source;
using pattern::Syntax;

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr); }

  static Source Make(Syntax syntax, std::string pattern) {
    Source source;
    source.syntax = syntax;
    source.patterns = {std::move(pattern)};
    return source;
  }
};

TEST_F(EngineTest, FindsTheLineOfABlockThatHoldsAMatch) {
  const auto engine = Engine::Compile(Make(Syntax::kBasic, "b[0-9]"));
  const auto matcher = engine->NewMatcher();
  const std::string_view block = "a1\n\nxb7\nb\n";
  const auto at = matcher->FindLine(block, 0);
  ASSERT_TRUE(at.has_value());
  EXPECT_GE(*at, 4u);
  EXPECT_LE(*at, 7u);
  EXPECT_FALSE(matcher->FindLine(block, 8).has_value());
}

TEST_F(EngineTest, SeesNoEmptyLineBehindTheLastTerminator) {
  const auto engine = Engine::Compile(Make(Syntax::kBasic, "^$"));
  const auto matcher = engine->NewMatcher();
  EXPECT_TRUE(engine->MatchesEmptyLine());
  EXPECT_FALSE(matcher->FindLine("a\nb\n", 0).has_value());
  EXPECT_EQ(matcher->FindLine("a\n\nb\n", 0), 2u);
  EXPECT_EQ(matcher->FindLine("\n", 0), 0u);
}

TEST_F(EngineTest, MatchesNothingWithoutPatterns) {
  Source source;
  const auto engine = Engine::Compile(source);
  EXPECT_FALSE(engine->MatchesEmptyLine());
  EXPECT_FALSE(engine->NewMatcher()->Matches("x"));
}

TEST_F(EngineTest, FallsBackToGnuRegexForBackReferences) {
  const auto engine = Engine::Compile(Make(Syntax::kExtended, "(a|b)\\1"));
  EXPECT_EQ(engine->name(), "gnu regex");
  EXPECT_EQ(engine->reason(), "back-reference");
  const auto span = engine->NewMatcher()->Find("abba", 0);
  ASSERT_TRUE(span.has_value());
  EXPECT_EQ(span->begin, 1u);
  EXPECT_EQ(span->end, 3u);
}

TEST_F(EngineTest, KeepsToRe2ForCharactersBeyondAscii) {
  // In ASCII lines such a pattern matches nothing, which RE2 has to be told in its own way.
  const auto engine = Engine::Compile(Make(Syntax::kBasic, "[\xc3\xa0-\xc3\xbc]"));
  EXPECT_EQ(engine->name(), "re2");
  const auto matcher = engine->NewMatcher();
  EXPECT_FALSE(matcher->Matches("e"));
  EXPECT_TRUE(matcher->Matches("\xc3\xa9"));
  EXPECT_EQ(matcher->FindLine("e\n\xc3\xa9\n", 0), 2u);
}

TEST_F(EngineTest, ReportsEveryMalformedPattern) {
  Source source;
  source.patterns = {"\\(a", "x", "b\\)"};
  try {
    Engine::Compile(source);
    FAIL() << "accepted";
  } catch (const PatternError& error) {
    EXPECT_STREQ(error.what(), "Unmatched ( or \\(\nUnmatched ) or \\)");
  }
}

TEST_F(EngineTest, IsIndifferentToNulOnlyWithoutAnchors) {
  EXPECT_TRUE(Engine::Compile(Make(Syntax::kBasic, "ab.c"))->IndifferentToNul());
  EXPECT_FALSE(Engine::Compile(Make(Syntax::kBasic, "^ab"))->IndifferentToNul());
  EXPECT_FALSE(Engine::Compile(Make(Syntax::kBasic, "ab\\>"))->IndifferentToNul());
}

// Vectorscan 5.4.9 reports some of these lines when they are among the last 2 KiB of a block.
TEST_F(EngineTest, FindsNoCandidateThatNeedsTheTerminatorBeforeIt) {
  for (const char* text : {".}", "[^a]}", "[[:space:]]?.}", ".}|,}"}) {
    Source source;
    source.syntax = Syntax::kExtended;
    source.charset = pattern::Charset::kBytes;
    source.patterns = {text};
    const auto engine = Engine::Compile(source);
    const auto finder = engine->NewCandidateFinder();
    ASSERT_NE(finder, nullptr);
    const auto matcher = engine->NewMatcher();
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
      std::string block;
      for (std::size_t n = 3000 + random() % 3000; block.size() < n;) {
        for (std::size_t length = random() % 50; length > 0; --length) {
          block += static_cast<char>(' ' + random() % 90);
        }
        block += random() % 3 == 0 ? "\n}\n" : "\n";
      }
      finder->Scan(block, [&](std::size_t at) {
        const std::size_t begin = at == 0 ? 0 : block.rfind('\n', at - 1) + 1;
        const std::size_t end = block.find('\n', at);
        EXPECT_TRUE(!finder->exact() ||
                    matcher->Matches(std::string_view(block).substr(begin, end - begin)))
            << text << " at " << block.size() - at << " from the end";
        return at + 1;
      });
    }
  }
}

}  // namespace
}  // namespace mr::match
