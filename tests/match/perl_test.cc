// -P, judged by the installed GNU grep where it agrees with 3.11, which mrgrep follows.
#include <gtest/gtest.h>

#include <clocale>
#include <set>

#include "match/engine.h"
#include "match/grep_oracle.h"

namespace mr::match {
namespace {

using pattern::PatternError;
using pattern::Source;
using pattern::Syntax;

class PerlTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr); }

  static Source Make(std::string pattern) {
    Source source;
    source.syntax = Syntax::kPerl;
    source.patterns = {std::move(pattern)};
    return source;
  }
  static bool Matches(const Source& source, std::string_view line) {
    return Engine::Compile(source)->NewMatcher()->Matches(line);
  }
  static std::string ErrorOf(const Source& source) {
    try {
      Engine::Compile(source);
    } catch (const PatternError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(PerlTest, KnowsLookAroundLazyRepeatsAndKeep) {
  const auto engine = Engine::Compile(Make("foo\\Kba+?(?=ar|z)"));
  const auto span = engine->NewMatcher()->Find("xfoobaaar", 0);
  ASSERT_TRUE(span.has_value());
  EXPECT_EQ(span->begin, 4u);
  EXPECT_EQ(span->end, 7u);
}

TEST_F(PerlTest, ReportsMalformedPatternsAsGrepDoes) {
  GrepOracle oracle("C.UTF-8");
  for (const char* pattern : {"(", "a)", "[z-a]", "a{2,1}", "\\", "(?<n>a)(?<n>b)", "(?=a\\K)"}) {
    const std::string error = ErrorOf(Make(pattern));
    EXPECT_EQ("grep: " + error + "\n", oracle.Run({"-P"}, {pattern}, true)) << pattern;
  }
  Source two = Make("a");
  two.patterns.push_back("b");
  EXPECT_EQ(ErrorOf(two), "the -P option only supports a single pattern");
}

TEST_F(PerlTest, SaysWhenTheBacktrackingLimitIsExceeded) {
  const auto engine = Engine::Compile(Make("((a+)*)+$"));
  const auto matcher = engine->NewMatcher();
  try {
    matcher->Matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    FAIL() << "gave an answer";
  } catch (const MatchError& error) {
    EXPECT_STREQ(error.what(), "exceeded PCRE's backtracking limit");
  }
  EXPECT_TRUE(matcher->Matches("aaa")) << "a matcher goes on after a failure";
}

TEST_F(PerlTest, WordCharactersAreUnicodeButDigitsAscii) {
  EXPECT_TRUE(Matches(Make("^\\w$"), "\xc3\xa9"));
  EXPECT_FALSE(Matches(Make("^\\d$"), "\xd9\xa3"));
  EXPECT_TRUE(Matches(Make("^[\\d]\\D$"), "1\xd9\xa3"));
  EXPECT_TRUE(Matches(Make("^\\Qa\\d\\E$"), "a\\d"));
  Source bytes = Make("^\\w$");
  bytes.charset = pattern::Charset::kBytes;
  EXPECT_FALSE(Matches(bytes, "\xe9"));
}

TEST_F(PerlTest, InvalidBytesSeparateButDoNotHideWhatIsAround) {
  EXPECT_TRUE(Matches(Make("ab"),
                      "x\xff"
                      "ab"));
  EXPECT_FALSE(Matches(Make("x.ab"),
                       "x\xff"
                       "ab"));
}

TEST_F(PerlTest, SearchBeginsBehindInvalidBytes) {
  for (const char* pattern : {".*b", ".*?b", "(.*b)", "(?s).*b"}) {
    const auto source = Make(pattern);
    EXPECT_TRUE(Matches(source,
                        "\xff\x80\xd1\x8f"
                        "b"))
        << pattern;
    EXPECT_FALSE(Matches(source, "\xff\xd1\x8f")) << pattern;
    const auto engine = Engine::Compile(source);
    const auto found = engine->NewMatcher()->Find(
        "b\xff\xd1\x8f"
        "b",
        1);
    ASSERT_TRUE(found) << pattern;
    EXPECT_EQ(found->begin, 2u);
    EXPECT_EQ(found->end, 5u);
  }
  EXPECT_FALSE(Matches(Make("^.*b"),
                       "\xff"
                       "b"));
}

TEST_F(PerlTest, MatchesWholeWordsAndLines) {
  Source word = Make("foo|foo-b");
  word.match_word = true;
  EXPECT_TRUE(Matches(word, "a foo-bar"));
  EXPECT_FALSE(Matches(word, "foobar"));
  Source line = Make("a|a b");
  line.match_line = true;
  EXPECT_TRUE(Matches(line, "a b"));
  EXPECT_FALSE(Matches(line, "a c"));
}

TEST_F(PerlTest, LosesNoLineToTheCandidateFinder) {
  std::string text;
  for (const char* line : {"", "a", "foo bar", "x1y22", "tick \xe2\x84\xaa", "FOO_bar", "a.b",
                           "a+b", "\xc3\xa9t\xc3\xa9",
                           "foo\xff"
                           "bar",
                           "12:34", "aab", "[x]"}) {
    text += line;
    text += '\n';
  }
  int accelerated = 0;
  for (const char* pattern : {"foo", "\\d+", "a+?b", "(?:foo|x)\\d?", "\\bfoo\\b", "\\w+\\s\\w+",
                              "k", " [j-l]", "[a-f]+b", "\\d{2}:", "a\\.b", "\\[x\\]", "a++b",
                              "^\\d", "o+$", "\xc3\xa9t", "(?i)FOO", "(?<=f)oo", "."}) {
    for (const bool ignore_case : {false, true}) {
      Source source = Make(pattern);
      source.ignore_case = ignore_case;
      const auto engine = Engine::Compile(source);
      const auto finder = engine->NewCandidateFinder();
      if (finder == nullptr) continue;
      ++accelerated;
      EXPECT_FALSE(finder->exact());
      std::set<std::size_t> ends;
      finder->Scan(text, [&](std::size_t at) {
        ends.insert(text.find('\n', at));
        return at + 1;
      });
      const auto matcher = engine->NewMatcher();
      for (std::size_t from = 0; const auto at = matcher->FindLine(text, from);) {
        const std::size_t end = text.find('\n', *at);
        EXPECT_EQ(ends.count(end), 1u) << pattern << " at " << *at;
        from = end + 1;
      }
    }
  }
#ifdef MRGREP_VECTORSCAN
  EXPECT_GT(accelerated, 20);
#endif
}

}  // namespace
}  // namespace mr::match
