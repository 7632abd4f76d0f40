#include "match/engine.h"

#include <gtest/gtest.h>

#include <clocale>

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

}  // namespace
}  // namespace mr::match
