// Where mrgrep differs from GNU grep on purpose.

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include "differential/compare.h"

namespace differential {
namespace {

// GNU grep has no non-ASCII collation in C.UTF-8 and refuses what would need it.
bool CollationInUtf8(const Case& test_case, const RunResult& reference, const RunResult&) {
  const std::string& messages = test_case.one_stream ? reference.output : reference.errors;
  return test_case.locale == "C.UTF-8" && reference.status == 2 &&
         messages.find("Invalid collation character") != std::string::npos;
}

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char byte : WithReferenceName(text)) {
    lines.back() += byte;
    if (byte == '\n' || byte == '\0') lines.emplace_back();
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// GNU grep takes the files of a directory as the file system lists them.
bool DirectoryOrder(const Case& test_case, const RunResult& reference, const RunResult& subject) {
  const bool recursive =
      test_case.HasOption("-r") || test_case.HasOption("-R") || test_case.HasOption("-drecurse");
  return recursive && reference.status == subject.status &&
         SortedLines(reference.output) == SortedLines(subject.output) &&
         SortedLines(reference.errors) == SortedLines(subject.errors);
}

bool HasWideText(const Case& test_case) {
  const auto wide = [](const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x7f; });
  };
  return std::any_of(test_case.files.begin(), test_case.files.end(),
                     [&](const InputFile& file) { return wide(file.bytes); });
}

bool AnyPatternHolds(const Case& test_case, const std::vector<std::string>& parts) {
  for (const auto& pattern : test_case.patterns) {
    for (const auto& part : parts) {
      if (pattern.find(part) != std::string::npos) return true;
    }
  }
  return false;
}

// Before 3.9 the classes of -P, and so words, were ASCII in every locale, and text behind invalid
// bytes was a line of its own.
bool PerlClasses(const Case& test_case, const RunResult&, const RunResult&) {
  return test_case.HasOption("-P") && test_case.locale != "C" && HasWideText(test_case) &&
         (test_case.HasOption("-w") || test_case.HasOption("--word") ||
          AnyPatternHolds(test_case, {"^", "$", "\\A", "\\z", "(?", "\\d", "\\D", "\\w", "\\W",
                                      "\\s", "\\S", "\\b", "\\B", "[:"}));
}

// The text of --help, which a colour of no known name brings up as well.
bool HelpText(const Case&, const RunResult& reference, const RunResult& subject) {
  return reference.status == subject.status &&
         reference.output.find("Usage: grep [OPTION]") != std::string::npos &&
         subject.output.find("Usage: mrgrep [OPTION]") != std::string::npos;
}

// GNU grep takes the newline for a part of the match.
bool WholeWordSpan(const Case& test_case, const RunResult&, const RunResult&) {
  return test_case.HasOption("-x") && test_case.HasOption("-w") &&
         (test_case.HasOption("-o") || test_case.HasOption("--colo"));
}

// GNU grep's automaton and the C library each have an idea of their own of what a repeat repeats
// that has nothing, or an assertion, before it, and the C library loses track of assertions in
// repeated groups. Which of the two is asked depends on the rest of the pattern.
bool RepeatedAssertion(const Case& test_case, const RunResult&, const RunResult&) {
  if (test_case.HasOption("-F") || test_case.HasOption("-P")) return false;
  static const std::regex odd(
      R"re((\\[<>bB`']|[\^$(|]|^|\n)(\*|\+|\?|\{|\\\{|\\\+|\\\?)|(\\[<>bB`']|[\^$]).*\)\\?[*+?{])re");
  return std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                     [](const std::string& text) { return std::regex_search(text, odd); });
}

// GNU grep's search for the second match of a line forgets what stands before it.
bool WordSpans(const Case& test_case, const RunResult& reference, const RunResult& subject) {
  return reference.status == subject.status &&
         (test_case.HasOption("-w") || test_case.HasOption("--word")) &&
         (test_case.HasOption("-o") || test_case.HasOption("--only") ||
          test_case.HasOption("--colo"));
}

// With nothing shown so far GNU grep shows what its buffer begins with.
bool ContextOfNoText(const Case& test_case, const RunResult& reference, const RunResult& subject) {
  const std::string& messages = test_case.one_stream ? reference.output : reference.errors;
  return test_case.locale != "C" && reference.status == subject.status &&
         messages.find("binary file matches") != std::string::npos &&
         std::any_of(test_case.options.begin(), test_case.options.end(), [](const auto& option) {
           return std::regex_match(option, std::regex("-([AC].*|[0-9]+|n3)|--context.*"));
         });
}

// The C library's engine takes these sequences for characters, the automaton does not.
bool BeyondUnicode(const Case& test_case, const RunResult&, const RunResult&) {
  if (test_case.locale == "C") return false;
  static const std::regex sequence("\xed[\xa0-\xbf]|\xf4[\x90-\xbf]|[\xf5-\xf7]");
  return std::any_of(test_case.files.begin(), test_case.files.end(),
                     [](const InputFile& file) { return std::regex_search(file.bytes, sequence); });
}

// GNU grep looks for them between the bytes of a character too.
bool EmptyWords(const Case& test_case, const RunResult&, const RunResult&) {
  static const std::regex may_be_empty("^$|[*?|]|\\{0|\\{,");
  return test_case.locale != "C" && HasWideText(test_case) &&
         (test_case.HasOption("-w") || test_case.HasOption("--word")) &&
         std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                     [](const std::string& text) { return std::regex_search(text, may_be_empty); });
}

// GNU grep 3.8 prints nothing then.
bool InvertedWithoutLimit(const Case& test_case, const RunResult&, const RunResult&) {
  return test_case.HasOption("-m-") || test_case.HasOption("--max-count=-");
}

constexpr std::array kKnownDifferences = {
    KnownDifference{"collation in C.UTF-8", "Invalid collation character", CollationInUtf8},
    KnownDifference{"classes of -P", "know Unicode in UTF-8 locales", PerlClasses},
    KnownDifference{"help", "in words of its own", HelpText},
    KnownDifference{"spans with -x and -w", "a newline", WholeWordSpan},
    KnownDifference{"words behind others", "forgets what stands before it", WordSpans},
    KnownDifference{"context of what is no text", "trailing context", ContextOfNoText},
    KnownDifference{"empty words", "empty word", EmptyWords},
    KnownDifference{"-v without a limit", "negative number", InvertedWithoutLimit},
    KnownDifference{"beyond Unicode", "Surrogates", BeyondUnicode},
    KnownDifference{"repeated assertions", "repeated assertion", RepeatedAssertion},
    KnownDifference{"order of a directory", "sorted", DirectoryOrder},
};

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kKnownDifferences; }

}  // namespace differential
