// Where mrgrep differs from GNU grep on purpose. A difference counts as explained only when it
// vanishes together with its cause, everything else being the same byte for byte, and when the
// lines that only one of the two selects are lines that hold what the cause needs.

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/judge.h"
#include "differential/options.h"
#include "differential/rewrite.h"
#include "differential/word_spans.h"

namespace differential {
namespace {

bool AnyPattern(const Case& test_case, const std::regex& part) {
  return std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                     [&](const std::string& text) { return std::regex_search(text, part); });
}

bool NoLine(const std::string&) { return false; }
bool AnyLine(const std::string&) { return true; }
bool Nothing(const Dispute&, Judge&) { return true; }

// The same with the cause and without: what differs is GNU grep's doing alone.
bool SubjectIsUnmoved(const Dispute& dispute, const Case& without, Judge& judge) {
  const RunResult other = judge.Subject(without);
  return other.status == dispute.subject.status && other.output == dispute.subject.output &&
         other.errors == dispute.subject.errors;
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

// --- Ranges. GNU grep has no collation in C.UTF-8 and refuses what would need it; in national
// locales it has one.

bool RangesPresent(const Case& test_case) {
  return test_case.locale != "C" && WithRangesSpelledOut(test_case).patterns != test_case.patterns;
}
bool RangesHold(const Dispute& dispute, Judge& judge) {
  if (!SubjectIsUnmoved(dispute, WithRangesSpelledOut(dispute.test_case), judge)) return false;
  const std::string& messages =
      dispute.test_case.one_stream ? dispute.reference.output : dispute.reference.errors;
  return dispute.test_case.locale != "C.UTF-8" ||
         (dispute.reference.status == 2 &&
          messages.find("Invalid collation character") != std::string::npos);
}

// --- Before 3.9 the classes of -P, and so words, were ASCII in every locale, and text behind
// invalid bytes was a line of its own.

bool PerlClassesPresent(const Case& test_case) {
  static const std::regex classes("\\\\[wWsSbBD]|\\[:");
  return SyntaxOf(test_case) == 'P' && InUtf8(test_case) &&
         AnyFileHas(test_case, CharacterKind::kWide) &&
         ((Has(test_case, "-w") && !Has(test_case, "-x")) || AnyPattern(test_case, classes));
}
bool HoldsWide(const std::string& line) { return HasKind(line, CharacterKind::kWide); }

bool PerlCasePresent(const Case& test_case) {
  static const std::regex classes("\\[:(upper|lower):");
  static const std::regex ignoring("\\(\\?i\\)");
  return SyntaxOf(test_case) == 'P' && InUtf8(test_case) && AnyPattern(test_case, classes) &&
         (Has(test_case, "-i") || AnyPattern(test_case, ignoring));
}

bool PerlLinesPresent(const Case& test_case) {
  static const std::regex edges("[\\^$]|\\\\[AzbBWSD]|\\(\\?[=!<]");
  return SyntaxOf(test_case) == 'P' && InUtf8(test_case) &&
         (AnyFileHas(test_case, CharacterKind::kInvalid) ||
          AnyFileHas(test_case, CharacterKind::kBeyond)) &&
         (Has(test_case, "-w") || Has(test_case, "-x") || AnyPattern(test_case, edges));
}
Case WithoutInvalid(Case test_case) {
  test_case = WithFilesOverwritten(std::move(test_case), CharacterKind::kInvalid, '?');
  return WithFilesOverwritten(std::move(test_case), CharacterKind::kBeyond, '?');
}
bool HoldsInvalid(const std::string& line) {
  return HasKind(line, CharacterKind::kInvalid) || HasKind(line, CharacterKind::kBeyond);
}

// --- GNU grep takes the newline for a part of the match.

bool WholeWordsPresent(const Case& test_case) {
  return Has(test_case, "-x") && Has(test_case, "-w") && ShowsSpans(test_case);
}
Case WithoutWords(Case test_case) {
  return Without(std::move(test_case), [](const auto& option) { return option == "-w"; });
}
bool WholeWordsHold(const Dispute& dispute, Judge& judge) {
  return SubjectIsUnmoved(dispute, WithoutWords(dispute.test_case), judge);
}

// --- GNU grep's search for the second match of a line forgets what stands before it.

bool WordSpansPresent(const Case& test_case) {
  return Has(test_case, "-w") && !Has(test_case, "-x") && ShowsSpans(test_case);
}
Case WithoutSpans(Case test_case) { return Without(std::move(test_case), IsSpanOption); }
bool WordSpansHold(const Dispute& dispute, Judge& judge) {
  return WordSpansAreRight(dispute.test_case, judge);
}

// --- With nothing shown so far GNU grep shows what its buffer begins with.

bool ContextPresent(const Case& test_case) {
  return test_case.locale != "C" &&
         std::any_of(test_case.options.begin(), test_case.options.end(), IsContextOption);
}
Case WithoutContext(Case test_case) { return Without(std::move(test_case), IsContextOption); }
// The reference shows more in front of what both show.
bool ContextHolds(const Dispute& dispute, Judge& judge) {
  for (const auto& file : dispute.test_case.files) {
    Case alone = Without(dispute.test_case,
                         [](const auto& option) { return option == "-r" || option == "-R"; });
    alone.operands = {file.name};
    alone.standard_input.clear();
    alone.one_stream = false;
    if (judge.Agree(alone)) continue;
    const RunResult expected = judge.Reference(alone);
    const RunResult shown = judge.Subject(alone);
    if (expected.errors.find("binary file matches") == std::string::npos ||
        expected.errors != WithReferenceName(shown.errors) ||
        !expected.output.ends_with(WithReferenceName(shown.output))) {
      return false;
    }
  }
  return true;
}

// --- GNU grep marks parts of whole lines in the context behind the last line that -v selects.

bool ColoursPresent(const Case& test_case) {
  const auto& options = test_case.options;
  return Has(test_case, "-v") && Has(test_case, "-x") && ShowsSpans(test_case) &&
         std::any_of(options.begin(), options.end(), IsCountLimit) &&
         std::any_of(options.begin(), options.end(), IsContextOption);
}

// --- GNU grep looks for them between the bytes of a character too.

bool EmptyWordsPresent(const Case& test_case) {
  static const std::regex may_be_empty("^$|[*?|]|\\{0|\\{,");
  return InUtf8(test_case) && SyntaxOf(test_case) != 'P' && Has(test_case, "-w") &&
         !Has(test_case, "-x") && AnyFileHas(test_case, CharacterKind::kWide) &&
         AnyPattern(test_case, may_be_empty);
}
Case WithoutWide(Case test_case) {
  return WithCharactersReplaced(std::move(test_case), CharacterKind::kWide, 'Z');
}

// --- GNU grep 3.8 prints nothing with -v and a negative limit.

bool NoLimitPresent(const Case& test_case) {
  const auto last = std::find_if(test_case.options.rbegin(), test_case.options.rend(),
                                 [](const auto& option) { return IsCountLimit(option); });
  return Has(test_case, "-v") && last != test_case.options.rend() && last->starts_with("-m-");
}
Case WithoutLimit(Case test_case) { return Without(std::move(test_case), IsCountLimit); }
bool NoLimitHolds(const Dispute& dispute, Judge& judge) {
  return SubjectIsUnmoved(dispute, WithoutLimit(dispute.test_case), judge);
}

// --- The C library's engine takes these sequences for characters, the automaton does not.

bool BeyondPresent(const Case& test_case) {
  static const std::regex takers("\\[\\^|\\.|\\\\[WS]");
  const char syntax = SyntaxOf(test_case);
  return InUtf8(test_case) && (syntax == 'G' || syntax == 'E') &&
         AnyFileHas(test_case, CharacterKind::kBeyond) && AnyPattern(test_case, takers);
}
Case WithoutBeyond(Case test_case) {
  return WithFilesOverwritten(std::move(test_case), CharacterKind::kBeyond, '\xff');
}
bool BeyondInPattern(const Case& test_case) {
  return InUtf8(test_case) && SyntaxOf(test_case) != 'P' &&
         std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                     [](const auto& text) { return HasKind(text, CharacterKind::kBeyond); });
}
Case WithoutBeyondAnywhere(Case test_case) {
  return WithCharactersReplaced(std::move(test_case), CharacterKind::kBeyond, 'Z');
}
bool HoldsBeyond(const std::string& line) { return HasKind(line, CharacterKind::kBeyond); }

// --- GNU grep's automaton and the C library each have an idea of their own of what a repeat
// repeats that has nothing, or an assertion, before it, and the C library loses track of assertions
// in repeated groups. Which of the two is asked depends on the rest of the pattern.

bool RepeatsPresent(const Case& test_case) {
  static const std::regex odd(
      R"re((\\[<>bB`']|[\^$(|]|^|\n)(\*|\+|\?|\{|\\\{|\\\+|\\\?)|(\\[<>bB`']|[\^$]).*\)\\?[*+?{])re");
  const char syntax = SyntaxOf(test_case);
  return (syntax == 'G' || syntax == 'E') && AnyPattern(test_case, odd);
}
// Line by line, mrgrep does what one of the two does. The automaton decides alone in the C locale.
bool RepeatsHold(const Dispute& dispute, Judge& judge) {
  const Case by_library = WithBackReference(dispute.test_case);
  Case by_automaton = dispute.test_case;
  by_automaton.locale = "C";
  const auto odd = judge.OddLines(dispute.test_case);
  return std::all_of(odd.begin(), odd.end(), [&](const Judge::Odd& line) {
    return judge.ReferenceSelects(by_library, line.record) == line.by_subject ||
           judge.ReferenceSelects(by_automaton, line.record) == line.by_subject;
  });
}

// --- To the C library \0 is a digit, to the automaton it is not.

const std::regex kEscapedZero("(\\{[0-9,]*)\\\\0");

bool EscapedZeroPresent(const Case& test_case) {
  const char syntax = SyntaxOf(test_case);
  return (syntax == 'G' || syntax == 'E') && AnyPattern(test_case, kEscapedZero);
}
Case WithoutEscapedZero(Case test_case) {
  for (auto& pattern : test_case.patterns) {
    pattern = std::regex_replace(pattern, kEscapedZero, "$010");
  }
  return test_case;
}

constexpr std::array kKnownDifferences = {
    KnownDifference{"ranges", "Ranges in brackets", RangesPresent, WithRangesSpelledOut, AnyLine,
                    RangesHold},
    KnownDifference{"spans with -x and -w", "a newline", WholeWordsPresent, WithoutWords, NoLine,
                    WholeWordsHold},
    KnownDifference{"-v without a limit", "negative number", NoLimitPresent, WithoutLimit, NoLine,
                    NoLimitHolds},
    KnownDifference{"words behind others", "forgets what stands before it", WordSpansPresent,
                    WithoutSpans, NoLine, WordSpansHold},
    KnownDifference{"context of what is no text", "trailing context", ContextPresent,
                    WithoutContext, NoLine, ContextHolds},
    KnownDifference{"colours behind a limit", "matches that are not the whole line", ColoursPresent,
                    WithoutSpans, NoLine, Nothing},
    KnownDifference{"classes of -P", "know Unicode in UTF-8 locales", PerlClassesPresent,
                    WithAsciiClasses, HoldsWide, Nothing},
    KnownDifference{"case of classes of -P", "of one case only", PerlCasePresent, WithAsciiClasses,
                    AnyLine, Nothing},
    KnownDifference{"lines of -P", "do not begin a line", PerlLinesPresent, WithoutInvalid,
                    HoldsInvalid, Nothing},
    KnownDifference{"empty words", "empty word", EmptyWordsPresent, WithoutWide, HoldsWide,
                    Nothing},
    KnownDifference{"beyond Unicode", "Surrogates", BeyondPresent, WithoutBeyond, HoldsBeyond,
                    Nothing},
    KnownDifference{"beyond Unicode in a pattern", "Surrogates", BeyondInPattern,
                    WithoutBeyondAnywhere, AnyLine, Nothing},
    KnownDifference{"escaped zero of an interval", "is a digit to one", EscapedZeroPresent,
                    WithoutEscapedZero, AnyLine, RepeatsHold},
    KnownDifference{"repeated assertions", "repeated assertion", RepeatsPresent,
                    WithoutRepeatedAssertions, AnyLine, RepeatsHold},
};

// The text of --help, which a colour of no known name brings up as well.
bool IsHelp(const Dispute& dispute) {
  return dispute.reference.status == dispute.subject.status &&
         dispute.reference.output.find("Usage: grep [OPTION]") != std::string::npos &&
         dispute.subject.output.find("Usage: mrgrep [OPTION]") != std::string::npos;
}

// GNU grep takes the files of a directory as the file system lists them.
bool IsDirectoryOrder(const Dispute& dispute) {
  const bool recursive = Has(dispute.test_case, "-r") || Has(dispute.test_case, "-R");
  return recursive && dispute.reference.status == dispute.subject.status &&
         SortedLines(dispute.reference.output) == SortedLines(dispute.subject.output) &&
         SortedLines(dispute.reference.errors) == SortedLines(dispute.subject.errors);
}

// A bracket with several mistakes, of which each names another.
bool IsOtherMistake(const Dispute& dispute) {
  static const std::regex mistake(
      "grep: (Invalid range end|Invalid character class name|Invalid collation character|"
      "Unmatched \\[, \\[\\^, \\[:, \\[\\., or \\[=)\n");
  const auto names_one = [](const RunResult& result) {
    return result.status == 2 &&
           std::regex_match(WithReferenceName(result.output + result.errors), mistake);
  };
  return names_one(dispute.reference) && names_one(dispute.subject);
}

bool Explains(const std::vector<const KnownDifference*>& causes, const Dispute& dispute,
              Judge& judge) {
  Case without = dispute.test_case;
  for (const auto* cause : causes) without = cause->without(std::move(without));
  if (!judge.Agree(without)) return false;
  const auto odd = judge.OddLines(dispute.test_case);
  const bool all_touched = std::all_of(odd.begin(), odd.end(), [&](const Judge::Odd& line) {
    return std::any_of(causes.begin(), causes.end(),
                       [&](const auto* cause) { return cause->touches(line.text()); });
  });
  if (!all_touched) return false;
  // What a cause demands of the whole case can be asked only where it is the only one.
  return causes.size() > 1 || causes[0]->holds(dispute, judge);
}

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kKnownDifferences; }

std::string Explain(const Case& test_case, const RunResult& reference, const RunResult& subject,
                    Judge& judge) {
  const Dispute dispute{Canonical(test_case), reference, subject};
  if (IsHelp(dispute)) return "help";
  if (IsDirectoryOrder(dispute)) return "order of a directory";
  if (IsOtherMistake(dispute)) return "several mistakes";
  std::vector<const KnownDifference*> present;
  for (const auto& known : kKnownDifferences) {
    if (known.present(dispute.test_case)) present.push_back(&known);
  }
  for (const auto* known : present) {
    if (Explains({known}, dispute, judge)) return std::string(known->name);
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      if (Explains({present[i], present[j]}, dispute, judge)) {
        return std::string(present[i]->name) + " and " + std::string(present[j]->name);
      }
    }
  }
  return {};
}

}  // namespace differential
