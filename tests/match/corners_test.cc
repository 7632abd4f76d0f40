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
      {"", "\\(\\+a\\)", {"+a"}, {"a"}},
      {"", "x\\|\\?a", {"x", "?a"}, {"a"}},
      {"", "\\(^*a\\)", {"*a"}, {"a", "b*a"}},
      {"", "x\\|^a", {"x", "ab"}, {"ba"}},
      {"", "\\(^a\\|b\\)c", {"ac", "xbc"}, {"xac"}},
      {"", "a$\\|x", {"ba", "xy"}, {"ab"}},
      {"", "a\\|$b", {"a", "$b"}, {"b"}},
      {"", "x\\(^a\\)", {}, {"xa", "x^a"}},
      {"", "^*", {"*", "*a"}, {"a", "a*"}},
      {"", "a\\|", {"", "b"}, {}},
      {"", "\\(\\)", {"", "b"}, {}},
      {"x", "x\\(\\|a\\)b", {"xb", "xab"}, {"xaab"}},
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
      {"E", "?a", {"a"}, {"?"}},
      {"E", "(+a)", {"a"}, {"+"}},
      {"E", "x|{2}a", {"x", "a"}, {"2"}},
      {"E", "^+x", {"x"}, {"ax"}},
      {"E", "^{0}x", {"ax"}, {"a"}},
      {"E", "a|*", {"", "b"}, {}},
      {"E", "a)", {"a)"}, {"a"}},
      {"E", ")", {")"}, {"a"}},
      {"E", "a)b|c", {"a)b", "c"}, {"ab"}},
      {"E", "(|a)", {"", "b"}, {}},
      {"E", "()", {"", "a"}, {}},
      {"E", "a|", {"", "b"}, {}},
      {"E", "x(|a)b", {"xb", "xab"}, {"xaab"}},
      // Stacked repeats nest.
      {"Ex", "a**", {"", "aaa"}, {"b"}},
      {"Ex", "a+?", {"", "aa"}, {"b"}},
      {"Ex", "a??", {"", "a"}, {"aa"}},
      {"Ex", "a*?", {"", "aa"}, {"b"}},
      {"Ex", "a{2}*", {"", "aa", "aaaa"}, {"a", "aaa"}},
      {"x", "a*\\{2\\}", {"", "aaa"}, {"b"}},
      {"Ex", "a{1,2}{2}", {"aa", "aaaa"}, {"a", "aaaaa"}},
      // Intervals.
      {"Ex", "a{,2}", {"", "aa"}, {"aaa"}},
      {"Ex", "a{,}", {"", "aaa"}, {"b"}},
      {"Ex", "a{01}", {"a"}, {"aa", "a{01}"}},
      {"E", "a{1", {"a{1"}, {"a"}},
      {"E", "a{x}", {"a{x}"}, {"a"}},
      {"x", "a\\{2,\\}", {"aa", "aaa"}, {"a"}},
      {"x", "a\\{,2\\}", {"", "aa"}, {"aaa"}},
      {"x", "a\\{,\\}", {"", "aaa"}, {"b"}},
      {"x", "a\\{0\\}", {""}, {"a"}},
      {"E", "{", {"{"}, {"a"}},
      {"E", "{a", {"{a"}, {"a"}},
      {"E", "x|{1", {"x", "{1"}, {"1"}},
      {"Ex", "(ab){1500}", {}, {"ab"}},
      {"Ex", "a{1001}", {std::string(1001, 'a')}, {std::string(1000, 'a')}},
      {"Ex", "(a{40}){30}", {std::string(1200, 'a')}, {std::string(1199, 'a')}},
      // Brackets.
      {"", "[\\n]", {"\\", "n"}, {"x"}},
      {"", "[]a]", {"]", "a"}, {"b"}},
      {"x", "[^]a]", {"b"}, {"]", "a"}},
      {"", "[a-]", {"-", "a"}, {"b"}},
      {"", "[-a]", {"-", "a"}, {"b"}},
      {"x", "[a\\]", {"\\", "a"}, {"]"}},
      {"x", "[\\]]", {"\\]"}, {"]"}},
      {"x", "[%--]", {"%", "-", "+"}, {"."}},
      {"x", "[[:alpha:]-]", {"a", "-"}, {"1"}},
      {"", "[[=a=]]", {"a"}, {"b", "="}},
      {"", "[[.-.]]", {"-"}, {"b", "."}},
      {"x", "[[.a.]-c]", {"b"}, {"d"}},
      // Classes follow the locale.
      {"x", "\\w", {"\xc3\xa9", "\xd9\xa3", "_"}, {"\xcc\x81", "-"}},
      {"x", "[[:digit:]]", {"1"}, {"\xd9\xa3"}},
      {"x", "[[:alpha:]]", {"\xc3\xa9", "\xd9\xa3"}, {"1", "\xcc\x81"}},
      {"x", "[[:upper:]]", {"\xc3\x89", "A"}, {"\xc3\xa9", "a"}},
      {"x", "\\W", {"\xcc\x81", "-"}, {"\xc3\xa9", "_", "\xff"}},
      {"x", "\\S", {"\xc3\xa9", "_"}, {" ", "\v", "\xff"}},
      {"x", "[[:space:]]", {"\v", " ", "\xe3\x80\x80"}, {"\xc2\xa0"}},
      {"x", "\\s", {"\v", " "}, {"a"}},
      // Escapes without a meaning are the character itself.
      {"x", "\\n\\t\\d\\x\\p\\Q\\A\\z", {"ntdxpQAz"}, {"1"}},
      {"x", "\\C\\a\\f\\v\\r\\e\\D", {"CafvreD"}, {"1"}},
      {"Ex", "\\n\\t\\d\\x\\p\\Q\\A\\z\\C\\a\\f\\v", {"ntdxpQAzCafv"}, {"1"}},
      {"x", "\\`a\\'", {"a"}, {"`a'"}},
      {"", "\\`a", {"ab"}, {"ba"}},
      {"", "a\\'", {"ba"}, {"ab"}},
      // Ignored case: equal under towupper.
      {"ix", "s", {"s", "S", "\xc5\xbf"}, {"z"}},
      {"ix", "i", {"i", "I", "\xc4\xb1"}, {"j"}},
      {"ix", "k", {"k", "K"}, {"\xe2\x84\xaa"}},
      {"ix", "\xc3\x9f", {"\xc3\x9f"}, {"\xe1\xba\x9e"}},
      {"ix", "[[:lower:]]", {"a", "A"}, {"1"}},
      {"ix", "\xd0\xb6", {"\xd0\x96"}, {"\xd0\xb7"}},
      {"ix", "[^s]", {"z"}, {"s", "S", "\xc5\xbf"}},
      {"ix", "[h-j]", {"H", "i", "\xc4\xb1"}, {"k"}},
      {"ix", "\xcf\x83", {"\xce\xa3", "\xcf\x82"}, {"\xcf\x81"}},
      {"ix", "\xc7\x85", {"\xc7\x84", "\xc7\x86"}, {"\xc7\x87"}},
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
      {"E", "(a|b)\\1", {"aa", "bb"}, {"ab"}},
      {"Ei", "(a)\\1", {"aA"}, {"ab"}},
      {"Ew", "(a)\\1", {"aa b"}, {"aab"}},
      // The C library overlooks the empty alternative after an attempt that it had to give up.
      {"", "\\(.*\\+\\)A\\1\\|", {"", "xAx"}, {"A"}},
      {"", "\\(x*\\)A\\1\\|", {"", "A", "xAx"}, {}},
      // Cyrillic letters that share their capital with another; to grep 3.8 they are the same only
      // where the pattern has the rarer one.
      {"ix", "\xe1\xb2\x80", {"\xe1\xb2\x80", "\xd0\x92", "\xd0\xb2"}, {"\xd0\xb3"}},
      {"ix", "\xd0\xb2", {"\xe1\xb2\x80", "\xd0\x92"}, {"\xd0\xb3"}, false},
      // Ranges and collating symbols beyond ASCII work by code point; grep 3.8 refuses them in
      // C.UTF-8.
      {"x", "[\xc3\xa0-\xc3\xbc]", {"\xc3\xa9"}, {"e", "\xc3\xbf"}, false},
      {"x", "[[.\xc3\xa9.]]", {"\xc3\xa9"}, {"e"}, false},
      // Where the C library decides too, which has no collation there.
      {"x",
       "\\([\xc3\xa0-\xc3\xbc]\\)\\1",
       {"\xc3\xa9\xc3\xa9"},
       {"\xc3\xa9\xc3\xa8", "ee"},
       false},
      {"x", "\\([^\xc3\xa0-\xc3\xbc]\\)\\1", {"ee"}, {"\xc3\xa9\xc3\xa9", "ef"}, false},
      {"Ex", "([[=\xc3\xa9=]^-])\\1", {"\xc3\xa9\xc3\xa9", "^^", "--"}, {"ee", "^-"}, false},
      {"Ex",
       "([[:digit:]\xc3\xa0-\xc3\xbc-])\\1",
       {"\xc3\xa9\xc3\xa9", "77", "--"},
       {"78", "ee"},
       false},
      {"Ex", "([^\xc3\xa0-\xc3\xbc[:alpha:]])\\1", {"77", "--"}, {"aa", "\xc3\xa9\xc3\xa9"}, false},
      {"Ex", "([][.\xc3\xa9.]])\\1", {"\xc3\xa9\xc3\xa9", "]]"}, {"ee"}, false},
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
