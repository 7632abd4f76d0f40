// The corners of the pattern languages, one table row each. `matches` and `differs` are lines that
// GNU grep 3.8 selects and does not; the installed grep is asked too, except where mrgrep means to
// be more generous.
#include <gtest/gtest.h>

#include <clocale>

#include "match/engine.h"
#include "match/grep_oracle.h"

namespace mr::match {
namespace {

using pattern::PatternError;
using pattern::Source;
using pattern::Syntax;

struct Row {
  const char* options;  // of -E -i -w -x; the default is -G
  const char* pattern;
  std::vector<std::string> matches;
  std::vector<std::string> differs;
  bool ask_grep = true;
};

Source SourceOf(const std::string& options, const std::string& pattern) {
  Source source;
  source.patterns = {pattern};
  source.syntax = options.find('E') != std::string::npos ? Syntax::kExtended : Syntax::kBasic;
  source.ignore_case = options.find('i') != std::string::npos;
  source.match_word = options.find('w') != std::string::npos;
  source.match_line = options.find('x') != std::string::npos;
  return source;
}

std::vector<std::string> OptionsOf(const std::string& letters) {
  std::vector<std::string> options = {"-a"};
  for (const char c : letters) options.push_back(std::string("-") + c);
  return options;
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      // Basic syntax: what is literal, and what anchors.
      {"", "a?b+{c|(d)", {"a?b+{c|(d)"}, {"ab"}},
      {"", "*a", {"*a"}, {"a"}},
      {"", "\\(*a\\)", {"*a"}, {"a"}},
      {"", "x\\|*a", {"x", "*a"}, {"a"}},
      {"", "^*a", {"*a"}, {"a", "b*a"}},
      {"", "\\+a", {"+a"}, {"a"}},
      {"", "\\?a", {"?a"}, {"a"}},
      {"", "a^b", {"a^b"}, {"ab"}},
      {"", "a$b", {"a$b"}, {"ab"}},
      {"", "\\(^a\\)", {"ab"}, {"ba"}},
      {"", "\\(a$\\)", {"ba"}, {"ab"}},
      {"", "^^a", {"^a"}, {"a"}},
      {"", "\\{1\\}", {"{1}"}, {"1"}},
      // What the fast engines once got wrong: see the comments in emit_re2.cc and emit_superset.cc.
      {"E", "i($|k{3})?", {"i", "ia", "ikkk"}, {"k"}},
      {"E", "[ai](x|$)?", {"a", "xib"}, {"x"}},
      // Extended syntax: repeats of nothing, stray parentheses.
      {"E", "*a", {"a"}, {"*"}},
      {"E", "+a", {"a"}, {"+"}},
      {"E", "(*a)", {"a"}, {"*"}},
      {"E", "x|*a", {"x", "a"}, {"*"}},
      {"E", "^*x", {"ax"}, {"a"}},
      {"E", "{1}a", {"a"}, {"1"}},
      {"E", "a)", {"a)"}, {"a"}},
      {"E", "()", {"", "a"}, {}},
      {"E", "a|", {"", "b"}, {}},
      {"E", "x(|a)b", {"xb", "xab"}, {"xaab"}},
      // Stacked repeats nest.
      {"Ex", "a**", {"", "aaa"}, {"b"}},
      {"Ex", "a+?", {"", "aa"}, {"b"}},
      {"Ex", "a??", {"", "a"}, {"aa"}},
      {"Ex", "a{1,2}{2}", {"aa", "aaaa"}, {"a", "aaaaa"}},
      // Intervals.
      {"Ex", "a{,2}", {"", "aa"}, {"aaa"}},
      {"Ex", "a{,}", {"", "aaa"}, {"b"}},
      {"Ex", "a{01}", {"a"}, {"aa", "a{01}"}},
      {"E", "a{1", {"a{1"}, {"a"}},
      {"E", "a{x}", {"a{x}"}, {"a"}},
      {"x", "a\\{2,\\}", {"aa", "aaa"}, {"a"}},
      {"Ex", "(ab){1500}", {}, {"ab"}},
      // Brackets.
      {"", "[\\n]", {"\\", "n"}, {"x"}},
      {"", "[]a]", {"]", "a"}, {"b"}},
      {"x", "[^]a]", {"b"}, {"]", "a"}},
      {"", "[a-]", {"-", "a"}, {"b"}},
      {"", "[[=a=]]", {"a"}, {"b", "="}},
      {"", "[[.-.]]", {"-"}, {"b", "."}},
      {"x", "[[.a.]-c]", {"b"}, {"d"}},
      // Classes follow the locale.
      {"x", "\\w", {"\xc3\xa9", "\xd9\xa3", "_"}, {"\xcc\x81", "-"}},
      {"x", "[[:digit:]]", {"1"}, {"\xd9\xa3"}},
      {"x", "\\s", {"\v", " "}, {"a"}},
      // Escapes without a meaning are the character itself.
      {"x", "\\n\\t\\d\\x\\p\\Q\\A\\z", {"ntdxpQAz"}, {"1"}},
      {"x", "\\`a\\'", {"a"}, {"`a'"}},
      // Ignored case: equal under towupper.
      {"ix", "s", {"s", "S", "\xc5\xbf"}, {"z"}},
      {"ix", "i", {"i", "I", "\xc4\xb1"}, {"j"}},
      {"ix", "k", {"k", "K"}, {"\xe2\x84\xaa"}},
      {"ix", "\xc3\x9f", {"\xc3\x9f"}, {"\xe1\xba\x9e"}},
      {"ix", "[[:lower:]]", {"a", "A"}, {"1"}},
      {"ix", "\xd0\xb6", {"\xd0\x96"}, {"\xd0\xb7"}},
      // Invalid UTF-8.
      {"x", ".", {"a", "\xc3\xa9"}, {"\xff", "\xc3"}},
      {"",
       "a",
       {"\xff"
        "a\xff"},
       {"\xff"}},
      {"x",
       "a[^b]c",
       {"a\xc3\xa9"
        "c"},
       {"a\xff"
        "c"}},
      // Word boundaries.
      {"",
       "\\<foo\\>",
       {"a foo-b", "foo"},
       {"foobar",
        "\xc3\xa9"
        "foo"}},
      {"",
       "\\bfoo",
       {"-foo"},
       {"xfoo",
        "\xc3\xa9"
        "foo"}},
      {"",
       "\\Bfoo",
       {"xfoo",
        "\xc3\xa9"
        "foo"},
       {"foo"}},
      {"Ew", "foo|foo-b", {"foo-bar"}, {"foobar"}},
      {"Ew", "a.?", {"ab", "a b", "(a)"}, {"xa"}},
      // Back-references.
      {"", "\\(a*\\)x\\1$", {"aaxaa", "bx"}, {"xa"}},
      // Ranges and collating symbols beyond ASCII work by code point; grep 3.8 refuses them in
      // C.UTF-8.
      {"x", "[\xc3\xa0-\xc3\xbc]", {"\xc3\xa9"}, {"e", "\xc3\xbf"}, false},
      {"x", "[[.\xc3\xa9.]]", {"\xc3\xa9"}, {"e"}, false},
  };
  return rows;
}

TEST(Corners, SelectWhatGrepSelects) {
  ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);
  GrepOracle oracle("C.UTF-8");
  for (const Row& row : Rows()) {
    SCOPED_TRACE(std::string(row.options) + " " + row.pattern);
    const auto engine = Engine::Compile(SourceOf(row.options, row.pattern));
    const auto matcher = engine->NewMatcher();
    std::string text;
    std::string selected;
    for (const std::string& line : row.matches) {
      EXPECT_TRUE(matcher->Matches(line)) << line;
      text += line + "\n";
    }
    selected = text;
    for (const std::string& line : row.differs) {
      EXPECT_FALSE(matcher->Matches(line)) << line;
      text += line + "\n";
    }
    if (const auto finder = engine->NewCandidateFinder()) {
      std::size_t found = 0;  // lines of `selected` that were reported
      std::size_t behind = 0;
      finder->Scan(selected, [&](std::size_t at) {
        if (at >= behind) {
          ++found;
          behind = selected.find('\n', at) + 1;
        }
        return behind;
      });
      EXPECT_EQ(found, row.matches.size()) << "lost by the candidate finder";
    }
    if (!row.ask_grep) continue;
    oracle.SetText(text);
    EXPECT_EQ(oracle.Run(OptionsOf(row.options), {row.pattern}), selected);
  }
}

TEST(Corners, RefuseWhatGrepRefusesInItsWords) {
  ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);
  GrepOracle oracle("C.UTF-8");
  const std::vector<std::pair<const char*, const char*>> patterns = {
      {"", "\\(a"},     {"", "a\\)"},        {"E", "(a"},           {"", "["},
      {"", "[a"},       {"", "[^"},          {"", "[[:foo:]]"},     {"", "[:alpha:]"},
      {"", "[z-a]"},    {"", "[a-c-e]"},     {"", "[[:alpha:]-z]"}, {"", "[a-[:alpha:]]"},
      {"", "a\\"},      {"E", "a{1,2,3}"},   {"E", "a{2,1}"},       {"", "a\\{1"},
      {"", "a\\{x\\}"}, {"E", "a{40000}"},   {"E", "a{}"},          {"E", "(a)\\2"},
      {"E", "\\1"},     {"", "[[.space.]]"}, {"i", "[Z-a]"},        {"", "[[=a"},
      {"", "[[.ab.]]"}, {"E", "(a\\1)"},
  };
  for (const auto& [options, pattern] : patterns) {
    try {
      Engine::Compile(SourceOf(options, pattern));
      ADD_FAILURE() << "accepted: " << pattern;
    } catch (const PatternError& error) {
      EXPECT_EQ("grep: " + std::string(error.what()) + "\n",
                oracle.Run(OptionsOf(options), {pattern}, true));
    }
  }
}

TEST(Corners, WarnOfRepeatsAtTheStart) {
  GrepOracle oracle("C.UTF-8");
  for (const char* pattern : {"*a", "a|+b", "({1}b)", "a(?b)"}) {
    const auto engine = Engine::Compile(SourceOf("E", pattern));
    ASSERT_EQ(engine->warnings().size(), 1u) << pattern;
    EXPECT_EQ("grep: warning: " + engine->warnings()[0] + "\n",
              oracle.Run({"-E"}, {pattern}, true));
  }
}

TEST(Corners, AnchorRecordsNotLinesWhenRecordsEndWithNul) {
  Source source = SourceOf("", "^b");
  source.terminator = '\0';
  EXPECT_FALSE(Engine::Compile(source)->NewMatcher()->Matches("a\nb"));
  EXPECT_TRUE(Engine::Compile(source)->NewMatcher()->Matches("b\na"));
  source.patterns = {"a.b"};
  EXPECT_TRUE(Engine::Compile(source)->NewMatcher()->Matches("a\nb"));
}

}  // namespace
}  // namespace mr::match
