// That a known difference explains no more than it should, and the rewriting it relies on.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "differential/buffer_model.h"
#include "differential/compare.h"
#include "differential/judge.h"
#include "differential/rewrite.h"

namespace differential {
namespace {

namespace fs = std::filesystem;

struct Loss {
  const char* what;
  std::vector<std::string> options;
  const char* pattern;
  const char* bytes;
  const char* when;  // a shell pattern that the arguments match
  const char* edit;  // of sed, on what grep prints
};

const std::vector<Loss> kLosses = {
    {"any line", {"-P", "-n"}, "\\w", "\u00e9\na\n", "*", "$d"},
    {"a line without a wide character", {"-P"}, "\\w", "\u00e9\na\n", "*\\\\w*", "/a$/d"},
    {"a line without an invalid byte", {"-P", "-a"}, "^a", "\xff b\nab\n", "*", "/ab/d"},
    {"a whole line", {"-x", "-w", "-o"}, "a", "a\n", "*", "d"},
    {"a whole line with -w only", {"-x", "-w", "-o"}, "a", "a\n", "*-w*", "d"},
    {"the second word of a line", {"-w", "-o"}, "a", "a a\n", "*-o*", "$d"},
    {"a word that is shown too short", {"-w", "-o"}, "ab*", "a ab\n", "*-o*", "s/ab/a/"},
    {"a line with words", {"-w", "-o"}, "a", "a\nb a\n", "*-o*", "/2:/d;$d"},
    {"a line with words in colour", {"-w", "--color=always"}, "a", "a\nb\n", "*", "1d"},
    {"an empty word", {"-w"}, "x*", "\u00e9 -\n-\n", "*", "/^-/d"},
    {"a line of valid characters", {"-a"}, "[^a]", "\xed\xa0\x80\nb\n", "*", "/b/d"},
    {"a line of a repeated assertion", {"-E"}, "^+a", "a\nba\n", "*", "1d"},
    {"a line of that kind only", {"-E"}, "(^a)+", "a\nba\n", "*)+*", "1d"},
    {"a line of a range", {}, "[[=a=]b]", "a\nb\n", "*=*", "1d"},
    {"context behind text", {"-A1"}, "a", "a\nb\n", "*-A*", "$d"},
    {"any line, always", {"-w", "--color=always"}, "a", "a\nb\n", "*--color*", "1d"},
    {"a word of that kind only", {"-w", "--color=always"}, "a", "a a\n", "*--color*", "s/a/b/"},
    // What is lost only where two causes meet is explained by neither.
    {"a line of two kinds", {"-E"}, "(^a)+[[=b=]]", "ab\nba\n", "*)+*=*", "1d"},
    {"a line of two kinds in one pattern", {"-E"}, "^+[[=a=]]", "a\nba\n", "*^+*=*", "1d"},
    // What is lost in one spelling of the options only.
    {"a line with a long option", {"-P", "--line-number"}, "\\w", "\u00e9\na\n", "*--line*", "$d"},
    // The lines are all found, and lost on the way.
    {"a line behind a limit", {"-E", "-m2"}, "^+a", "a\na\n", "*-m*", "$d"},
    {"a line of a count", {"-E", "-c"}, "(^a)+", "a\nba\n", "*-c*)+*", "s/1/0/"},
    {"a line of context", {"-E", "-A1"}, "(^a)+", "a\nb\n", "*-A*)+*", "$d"},
    {"a part of a line", {"-E", "-o"}, "(^a)+|b", "ab\n", "*-o*)+*", "$d"},
    {"a colour", {"-P", "--color=always"}, "\\w", "\u00e9 a\n", "*--color*\\\\w*", "s/a/b/"},
    {"a count of invalid bytes", {"-P", "-a", "-c"}, "^a", "a\n\xff\n", "*-c*", "s/1/0/"},
    {"a count of empty words", {"-w", "-c"}, "x*", "\u00e9 -\n-\n", "*-c*", "s/[0-9]/7/"},
    {"a count beyond Unicode", {"-a", "-c"}, "[^a]", "b\n\xed\xa0\x80\n", "*-c*^*", "s/1/0/"},
    {"a line with a wide character", {"-P"}, "\\w", "\u00e9 a\na\n", "*\\\\w*", "/a/d"},
    {"a wide word", {"-P", "-o"}, "\\w+", "\u00e9a\n", "*-o*", "d"},
    {"a line of classes of one case", {"-P", "-i"}, "[[:upper:]]", "a\nA\n", "*:upper:*", "/A/d"},
    {"a line of a sequence", {"-a"}, "\xed\xa0\x80\\|b", "\xed\xa0\x80\nb\n", "*|*", "/b/d"},
    {"a line behind no text",
     {"-A1"},
     "^a\\|b",
     "a\n\xff"
     "b\n",
     "*-A*",
     "1d"},
    {"context in front of no text",
     {"-B1"},
     "b",
     "a\n\xff"
     "b\n",
     "*-B*",
     "1d"},
    {"a line of context in standard input", {"-A1"}, "a", "a\nb\n", "*-A*f0*", "2d"},
    {"a colour behind a limit",
     {"-v", "-x", "-m1", "-A1", "--color=always"},
     "ab*",
     "x\nab\n",
     "*-m1*--color*",
     "s/ab/a/"},
    {"a line of a lone parenthesis", {"-E", "-x"}, "a|b)", "a)\nb)\na\n", "*|b)*", "1d"},
    {"a line of an anchor", {"-E"}, "^a|b", "a\nb\n", "*^a|b f0", "1d"},
    {"a line with text behind an anchor", {"-E"}, "$x|b", "b\n", "*b f0", "d"},
    {"a line of an escaped zero", {"-E"}, "x{\\0}|a", "a\nx{0}\n", "*0*", "1d"},
    {"a count without a limit", {"-v", "-m-1", "-c"}, "a", "b\nc\n", "*", "s/0/1/"},
};

// A grep that edits what it prints when its arguments are such.
class LossyGrep {
 public:
  explicit LossyGrep(const Loss& loss)
      : path_(fs::temp_directory_path() / fmt::format("lossy-{}", getpid())) {
    std::ofstream(path_) << "#!/bin/sh\ncase \"$*\" in\n"
                         << loss.when << ") grep \"$@\" >out; status=$?\n  sed '" << loss.edit
                         << "' out; exit $status;;\n*) exec grep \"$@\";;\nesac\n";
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~LossyGrep() { fs::remove(path_); }
  LossyGrep(const LossyGrep&) = delete;
  LossyGrep& operator=(const LossyGrep&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(KnownDifferences, DoNotExplainALostLineOrWord) {
  for (const Loss& loss : kLosses) {
    const LossyGrep lossy(loss);
    Case test_case;
    test_case.locale = "C.UTF-8";
    test_case.options = loss.options;
    test_case.patterns = {loss.pattern};
    test_case.pattern_style = PatternStyle::kOption;
    test_case.files = {{"f0", loss.bytes}};
    test_case.operands = {"f0"};
    Runner runner;
    const Program reference{.path = "/usr/bin/grep", .leading = {}};
    const Program subject{.path = lossy.path(), .leading = {}};
    Judge judge(runner, reference, subject);
    const RunResult expected = judge.Reference(test_case);
    const RunResult shown = judge.Subject(test_case);
    ASSERT_NE(FirstDifference(expected, shown), Aspect::kNone) << loss.what;
    EXPECT_EQ(Explain(test_case, expected, shown, judge), "") << loss.what;
  }
}

struct Known {
  std::string name;
  const char* syntax;
  std::vector<std::string> patterns;
  const char* bytes;
};

TEST(KnownDifferences, ExplainWhatIsOfTheirKind) {
  const std::vector<Known> table = {
      {"ranges", "-G", {"[[:digit:]\u00e9-\u00fc\xf4\x90\x80\x80]"}, "x\n"},
      {"refused ranges", "-E", {"(b*|\\S[ -\u00fc])?+"}, "b*\n"},
      {"refused ranges", "-i", {"[\u00e9-\u00fce]S \\z"}, "eS z\n"},
      {"folded lengths", "-i", {"[a-c]x"}, "\u017faX\xc3\n"},
      {"folded lengths", "-i", {"[[:xdigit:]\u017f]\u0130"}, "\u017f\u017f\u0130\xc2\n"},
      {"several mistakes", "-G", {"\\", "[[:graph:]\xc3-\xbc]"}, "x\n"},
  };
  for (const Known& known : table) {
    Case test_case;
    test_case.locale = "C.UTF-8";
    test_case.options = {known.syntax};
    test_case.patterns = known.patterns;
    test_case.pattern_style = PatternStyle::kOption;
    test_case.files = {{"f0", known.bytes}};
    test_case.operands = {"f0"};
    Runner runner;
    const Program reference{.path = "/usr/bin/grep", .leading = {}};
    const Program subject{.path = MRGREP_BINARY, .leading = {}};
    Judge judge(runner, reference, subject);
    const RunResult expected = judge.Reference(test_case);
    const RunResult shown = judge.Subject(test_case);
    ASSERT_NE(FirstDifference(expected, shown), Aspect::kNone) << known.name;
    EXPECT_EQ(Explain(test_case, expected, shown, judge), known.name);
  }
}

struct ModelRow {
  const char* lines;  // s: selected, x: selected but no text, a dot: neither
  std::vector<std::size_t> windows;
  ContextLines context;
  const char* shown;  // the numbers of lines, and - for a separator
  const char* shown_without_false_context;
};

TEST(BufferModel, TakesTheBeginningOfTheBufferForContext) {
  const std::vector<ModelRow> table = {
      {"..x.", {4}, {.before = -1, .after = 1}, "0", ""},
      {"..x.s", {5}, {.before = -1, .after = 1}, "0-4", "-4"},
      {"..x.s", {3, 5}, {.before = -1, .after = 1}, "0-4", "-4"},
      {"..xx.s", {3, 6}, {.before = -1, .after = 1}, "0--5", "--5"},
      {"..x..x.", {5, 7}, {.before = -1, .after = 1}, "0-", "-"},
      {"..x.s.", {4, 6}, {.before = 1, .after = -1}, "1-34", "1-34"},
      {"s.x.s", {5}, {}, "04", "04"},
  };
  for (const ModelRow& row : table) {
    BufferModel model;
    for (const char line : std::string(row.lines)) {
      model.selected.push_back(line != '.');
      model.is_text.push_back(line != 'x');
    }
    model.windows = row.windows;
    model.context = row.context;
    for (const bool false_context : {true, false}) {
      model.false_context = false_context;
      std::string shown;
      for (const auto& line : model.Shown()) {
        shown += line ? static_cast<char>('0' + static_cast<int>(*line)) : '-';
      }
      EXPECT_EQ(shown, false_context ? row.shown : row.shown_without_false_context) << row.lines;
    }
  }
}

struct Rewriting {
  Case (*rewrite)(Case);
  const char* syntax;
  const char* before;
  const char* after;
};

TEST(Rewriting, LeavesAPatternWithoutWhatIsInDoubt) {
  const std::vector<Rewriting> table = {
      {WithRangesSpelledOut, "-E", "x[a-c]y", "x[abc]y"},
      {WithRangesSpelledOut, "-E", "[^]a-c-]", "[^]abc-]"},
      {WithRangesSpelledOut, "-E", "[[:alpha:]0-2]", "[[:alpha:]012]"},
      {WithRangesSpelledOut, "-E", "[\u00e0-\u00e2]", "[\u00e0\u00e1\u00e2]"},
      {WithRangesSpelledOut, "-E", "[[=a=][.-.]]", "[a-]"},
      {WithRangesSpelledOut, "-E", "[!-#^]", "[!\"#^]"},
      {WithRangesSpelledOut, "-E", "[a-c\xf4\x90\x80\x80]", "[abc\x80\x80\x90\xf4]"},
      {WithRangesSpelledOut, "-E", "[z-a]", "[z-a]"},
      {WithRangesSpelledOut, "-E", "[:m:][aa]", "[:m:][aa]"},
      {WithRangesSpelledOut, "-E",
       "[\xc3"
       "0-2\xa9]",
       "[012\xa9\xc3]"},
      {WithRangesSpelledOut, "-E", "[\xc3-\u00e9]", "[\xc3-\u00e9]"},
      {WithRangesSpelledOut, "-E", "[a-c-e]", "[a-c-e]"},
      {WithRangesSpelledOut, "-E", "\\[a-c]", "\\[a-c]"},
      {WithRangesSpelledOut, "-F", "[a-c]", "[a-c]"},
      {WithRangesSpelledOut, "-P", "[a-c]", "[a-c]"},
      {WithAsciiClasses, "-P", "\\w[[:alpha:]]\\d", "[0-9A-Z_a-z][A-Za-z]\\d"},
      {WithUnicodeClasses, "-P", "\\w[\\d_]\\d\\D", "(*UCP)\\w[0-9_][0-9][^0-9]"},
      {WithUnicodeClasses, "-P", "[\\D]", "(*UCP)[\\x00-\\x2f\\x3a-\\x{10ffff}]"},
      {WithoutRepeatedAssertions, "-E", "^*a+", "^a+"},
      {WithoutRepeatedAssertions, "-E", "{2}a|+b", "a|b"},
      {WithoutRepeatedAssertions, "-E", "(^a){1,2}b*", "(^a)b*"},
      {WithoutRepeatedAssertions, "-E", "(a)*", "(a)*"},
      {WithoutRepeatedAssertions, "-E", "{a", "a"},
      {WithoutRepeatedAssertions, "-G", "\\(*a\\)\\{2\\}", "\\(a\\)\\{2\\}"},
      {WithoutRepeatedAssertions, "-G", "\\<\\{2\\}a+", "\\<a+"},
      {WithBracketsAlone, "-E", "(b*|\\S[ -c])?+x[^]]", "[ -c][^]]"},
      {WithReversedRangesSpelledOut, "-E", "[c-a][a-b]", "[abc][ab]"},
      {WithLoneParenthesesEscaped, "-E", "a)(b))[)]\\)", "a\\)(b)\\)[)]\\)"},
      {WithImpossibleAlternative, "-G", "a", "a\\|.\\($\\)."},
      {WithBackReference, "-E", "a|b", "()(a|b|\\b\\B)\\1"},
      {WithBackReference, "-G", "a*", "\\(\\)\\(a*\\|\\b\\B\\)\\1"},
      {WithBackReference, "-E", "(a)\\1", "(a)\\1"},
  };
  for (const Rewriting& row : table) {
    Case test_case;
    test_case.locale = "C.UTF-8";
    test_case.options = {row.syntax};
    test_case.patterns = {row.before};
    EXPECT_EQ(row.rewrite(test_case).patterns[0], row.after) << row.syntax << " " << row.before;
  }
}

TEST(Rewriting, PutsAPatternThatIsTooLongForAnArgumentIntoAFile) {
  Case test_case;
  test_case.locale = "C.UTF-8";
  test_case.patterns = {"[A-\U0001f600]"};
  EXPECT_EQ(WithRangesSpelledOut(test_case).pattern_style, PatternStyle::kFile);
  test_case.patterns = {"[A-Z]"};
  EXPECT_EQ(WithRangesSpelledOut(test_case).pattern_style, PatternStyle::kOperand);
}

TEST(Rewriting, TellsKindsOfCharacters) {
  const std::vector<std::pair<std::string, Character>> table = {
      {"a", {CharacterKind::kAscii, 1}},
      {"\u00e9", {CharacterKind::kWide, 2}},
      {"\u6f22", {CharacterKind::kWide, 3}},
      {"\U0001f600", {CharacterKind::kWide, 4}},
      {"\x80", {CharacterKind::kInvalid, 1}},
      {"\xc0\x80", {CharacterKind::kInvalid, 1}},
      {"\xe2\x82", {CharacterKind::kInvalid, 1}},
      {"\xe0\x80\x80", {CharacterKind::kInvalid, 1}},
      {"\xed\xa0\x80", {CharacterKind::kBeyond, 3}},
      {"\xf4\x90\x80\x80", {CharacterKind::kBeyond, 4}},
      {"\xf5\x80\x80\x80", {CharacterKind::kBeyond, 4}},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(CharacterAt(text, 0).kind, expected.kind) << text;
    EXPECT_EQ(CharacterAt(text, 0).size, expected.size) << text;
  }
}

}  // namespace
}  // namespace differential
