// Where mrgrep differs from GNU grep on purpose, and what must be true where it does.

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include "differential/buffer_model.h"
#include "differential/compare.h"
#include "differential/false_context.h"
#include "differential/folded_lengths.h"
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

constexpr bool (*kSameLines)(const std::string&) = nullptr;
bool AnyLine(const std::string&) { return true; }

// The two find other lines, or other parts of them: what only counts, limits or surrounds the same
// lines differs for no cause of this kind.
bool Strikes(const Dispute& dispute, Judge& judge) {
  return !judge.Odds(dispute.test_case).empty();
}

// The same with the cause and without: what differs is GNU grep's doing alone.
bool SubjectIsUnmoved(const Dispute& dispute, const Case& without, Judge& judge) {
  const RunResult other = judge.Subject(without);
  return other.status == dispute.subject.status && other.output == dispute.subject.output &&
         other.errors == dispute.subject.errors;
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

// A refused range may stand in a pattern that GNU grep could not search for without it either: the
// brackets alone tell. Where there are ranges mrgrep does what the C library would.
Case BracketsSpelledOutAlone(Case test_case) {
  return WithBracketsAlone(WithRangesSpelledOut(std::move(test_case)));
}
bool RefusedRangesPresent(const Case& test_case) {
  return test_case.locale == "C.UTF-8" && RangesPresent(test_case);
}
bool RefusedRangesHold(const Dispute& dispute, Judge& judge) {
  const auto refused = [](const RunResult& result) {
    return result.status == 2 &&
           (result.output + result.errors).find("Invalid collation character") != std::string::npos;
  };
  return refused(dispute.reference) &&
         refused(judge.Reference(WithBracketsAlone(dispute.test_case))) &&
         (SubjectIsUnmoved(dispute, WithRangesSpelledOut(dispute.test_case), judge) ||
          Judge::Same(dispute.test_case,
                      judge.Reference(WithBackReference(WithRangesSpelledOut(dispute.test_case))),
                      dispute.subject));
}

// Where one of the two takes the ends of a range for the wrong way round, by code point or by the
// order of a language.
bool ReversedPresent(const Case& test_case) {
  return test_case.locale != "C" && test_case.locale != "C.UTF-8" &&
         WithReversedRangesSpelledOut(test_case).patterns != test_case.patterns;
}
bool ReversedHold(const Dispute& dispute, Judge&) {
  const auto refuses = [](const RunResult& result) {
    return result.status == 2 &&
           (result.output + result.errors).find("Invalid range end") != std::string::npos;
  };
  return refuses(dispute.reference) != refuses(dispute.subject);
}

// --- Before 3.9 the classes of -P, and so words, were ASCII in every locale, classes of one case
// were of both under -i, and text behind invalid bytes was a line of its own.

bool PerlClassesPresent(const Case& test_case) {
  static const std::regex classes("\\\\[wWsSbBD]|\\[:");
  return SyntaxOf(test_case) == 'P' && InUtf8(test_case) &&
         AnyFileHas(test_case, CharacterKind::kWide) &&
         ((Has(test_case, "-w") && !Has(test_case, "-x")) || AnyPattern(test_case, classes));
}
// What the library does when it is asked for Unicode.
bool PerlClassesHold(const Dispute& dispute, Judge& judge) {
  return Judge::Same(dispute.test_case, judge.Reference(WithUnicodeClasses(dispute.test_case)),
                     dispute.subject);
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
// In binary files NULs end lines, too.
bool PerlLinesHold(const Dispute& dispute, Judge& judge) {
  if (Strikes(dispute, judge)) return true;
  Case divided = dispute.test_case;
  for (auto& file : divided.files) std::replace(file.bytes.begin(), file.bytes.end(), '\0', '\n');
  const auto odds = judge.Odds(divided);
  return !odds.empty() && std::all_of(odds.begin(), odds.end(),
                                      [](const Judge::Odd& odd) { return HoldsInvalid(odd.line); });
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
bool BinaryContextPresent(const Case& test_case) {
  return !Has(test_case, "-z") && ContextOf(test_case).after > 0 &&
         std::any_of(test_case.files.begin(), test_case.files.end(),
                     [](const InputFile& file) { return TurnsBinary(file.bytes); });
}
Case WithoutContext(Case test_case) { return Without(std::move(test_case), IsContextOption); }

// --- GNU grep marks parts of whole lines in the context behind the last line that -v selects.

bool ColoursPresent(const Case& test_case) {
  const auto& options = test_case.options;
  return Has(test_case, "-v") && Has(test_case, "-x") && ShowsSpans(test_case) &&
         std::any_of(options.begin(), options.end(), IsCountLimit) &&
         std::any_of(options.begin(), options.end(), IsContextOption);
}

// A separator is another when the line is selected.
std::string WithoutSeparator(std::string line) {
  std::replace(line.begin(), line.end(), '-', ':');
  return line;
}
// Apart from colours both print the same, and a line in which mrgrep's are others is as GNU grep
// prints it where there is no limit.
// With -o the matches of the other lines are shown that are not the whole line.
bool ColoursHold(const Dispute& dispute, Judge& judge) {
  if (dispute.reference.status != dispute.subject.status ||
      dispute.reference.errors != WithReferenceName(dispute.subject.errors)) {
    return false;
  }
  const char end = Has(dispute.test_case, "-z") ? '\0' : '\n';
  Case whole = Without(dispute.test_case, [](const auto& option) {
    return IsCountLimit(option) || IsContextOption(option);
  });
  whole.options.emplace_back("-C99999");
  auto right = SplitLines(judge.Reference(whole).output, end);
  for (auto& line : right) line = WithoutSeparator(line);
  const auto expected = SplitLines(dispute.reference.output, end);
  const auto shown = SplitLines(WithReferenceName(dispute.subject.output), end);
  const auto holds = [](const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), WithoutSeparator(line)) != lines.end();
  };
  if (Has(dispute.test_case, "-o")) {
    const Case anywhere = Without(whole, [](const auto& option) {
      return option == "-v" || option == "-x" || IsContextOption(option);
    });
    auto parts = SplitLines(judge.Reference(anywhere).output, end);
    for (auto& line : parts) line = WithoutSeparator(line);
    std::vector<std::string> due;
    for (const auto& line : expected) {
      if (holds(right, line)) {
        due.push_back(line);
      } else if (!holds(parts, line)) {
        return false;
      }
    }
    return due == shown;
  }
  return std::equal(expected.begin(), expected.end(), shown.begin(), shown.end(),
                    [&](const std::string& theirs, const std::string& ours) {
                      return theirs == ours ||
                             (WithoutColours(theirs) == WithoutColours(ours) && holds(right, ours));
                    });
}

// --- GNU grep looks for them between the bytes of a character too.

bool EmptyWordsPresent(const Case& test_case) {
  static const std::regex may_be_empty(R"re(^$|[*?|^$]|\{0|\{,|\(\\?\)|\\[bB<>`'])re");
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
// A line can then match without it.
bool BeyondIsRepeated(const Case& test_case) {
  const char syntax = SyntaxOf(test_case);
  if (!InUtf8(test_case) || (syntax != 'G' && syntax != 'E')) return false;
  return std::any_of(test_case.patterns.begin(), test_case.patterns.end(), [&](const auto& text) {
    const std::string repeats = syntax == 'E' ? "*+?{" : "*";
    for (std::size_t at = 0; at < text.size();) {
      const Character character = CharacterAt(text, at);
      at += character.size;
      if (character.kind != CharacterKind::kBeyond || at >= text.size()) continue;
      if (repeats.find(text[at]) != std::string::npos) return true;
      if (syntax == 'G' && text[at] == '\\' && at + 1 < text.size() &&
          std::string_view("+?{").find(text[at + 1]) != std::string_view::npos) {
        return true;
      }
    }
    return false;
  });
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
// Line by line, and part by part, mrgrep does what one of the two does. The automaton decides alone
// in the C locale. Where there are ranges it is the C library of a locale that has them by code
// point.
bool RepeatsHold(const Dispute& dispute, Judge& judge) {
  const Case by_library = WithBackReference(dispute.test_case);
  Case by_automaton = dispute.test_case;
  by_automaton.locale = "C";
  Case by_code_point = dispute.test_case;
  by_code_point.locale = InUtf8(dispute.test_case) ? "C.UTF-8" : "C";
  const Case by_library_and_code_point = WithBackReference(by_code_point);
  const bool has_ranges =
      RangesPresent(dispute.test_case) && judge.Reference(LinesOnly(by_code_point)).status < 2;
  const auto odds = judge.Odds(dispute.test_case);
  return !odds.empty() && std::all_of(odds.begin(), odds.end(), [&](const Judge::Odd& odd) {
    return judge.ReferenceShows(by_library, odd) == odd.by_subject ||
           judge.ReferenceShows(by_automaton, odd) == odd.by_subject ||
           (has_ranges && (judge.ReferenceShows(by_code_point, odd) == odd.by_subject ||
                           judge.ReferenceShows(by_library_and_code_point, odd) == odd.by_subject));
  });
}

// --- To the C library \0 is a digit, to the automaton it is not.

const std::regex kEscapedZero("\\{([0-9,]*)\\\\0");

bool EscapedZeroPresent(const Case& test_case) {
  return SyntaxOf(test_case) == 'E' && AnyPattern(test_case, kEscapedZero);
}
Case WithReplaced(Case test_case, const std::regex& part, const char* with) {
  for (auto& pattern : test_case.patterns) {
    while (std::regex_search(pattern, part)) pattern = std::regex_replace(pattern, part, with);
  }
  return test_case;
}
Case WithoutEscapedZero(Case test_case) {
  return WithReplaced(std::move(test_case), kEscapedZero, "{$010");
}
Case WithEscapedBrace(Case test_case) {
  static const std::regex escaped_or_not("\\\\?\\{([0-9,]*)\\\\0");
  return WithReplaced(std::move(test_case), escaped_or_not, "\\{$010");
}
// mrgrep takes it for text, or with a back-reference for a digit.
bool EscapedZeroHolds(const Dispute& dispute, Judge& judge) {
  static const std::regex back_reference("\\\\[1-9]");
  if (AnyPattern(dispute.test_case, back_reference)) {
    return SubjectIsUnmoved(dispute, WithoutEscapedZero(dispute.test_case), judge);
  }
  return Judge::Same(dispute.test_case, judge.Reference(WithEscapedBrace(dispute.test_case)),
                     dispute.subject);
}

// --- GNU grep puts patterns between parentheses for -x and -w, and one of them ends there.

bool LoneParenthesisPresent(const Case& test_case) {
  return SyntaxOf(test_case) == 'E' && (Has(test_case, "-x") || Has(test_case, "-w")) &&
         WithLoneParenthesesEscaped(test_case).patterns != test_case.patterns;
}
bool LoneParenthesisHolds(const Dispute& dispute, Judge& judge) {
  return SubjectIsUnmoved(dispute, WithLoneParenthesesEscaped(dispute.test_case), judge);
}

// --- GNU grep first looks for text that it takes for a part of every match, or for all of it, and
// can be wrong about it where an alternative ends with an anchor, or where text stands behind the
// end of the line or before its beginning.

bool FixedTextPresent(const Case& test_case) {
  static const std::regex anchor(R"re(\[`']|[\^$])re");
  const char syntax = SyntaxOf(test_case);
  return (syntax == 'G' || syntax == 'E') && AnyPattern(test_case, anchor);
}
// With an alternative that matches nothing, but has no text, it selects the lines that mrgrep does.
bool FixedTextHolds(const Dispute& dispute, Judge& judge) {
  static const std::regex text_beyond_anchor(
      R"re((\\'|\$)(\\?[()])*[^|)\\]|[^|(\\](\\?[()])*(\\`|\^))re");
  const auto odds = judge.Odds(dispute.test_case);
  const bool may_be_all = AnyPattern(dispute.test_case, text_beyond_anchor);
  return !odds.empty() && std::all_of(odds.begin(), odds.end(), [&](const Judge::Odd& odd) {
    return odd.by_subject || may_be_all;
  }) && SubjectIsUnmoved(dispute, WithImpossibleAlternative(dispute.test_case), judge);
}

constexpr std::array kKnownDifferences = {
    KnownDifference{"ranges", "Ranges in brackets", RangesPresent, WithRangesSpelledOut, AnyLine,
                    RangesHold},
    KnownDifference{"refused ranges", "Ranges in brackets", RefusedRangesPresent,
                    BracketsSpelledOutAlone, AnyLine, RefusedRangesHold},
    KnownDifference{"ranges the wrong way round", "Ranges in brackets", ReversedPresent,
                    WithReversedRangesSpelledOut, AnyLine, ReversedHold},
    KnownDifference{"folded lengths", "another length", FoldedLengthsPresent, WithoutInvalid,
                    HoldsInvalidAndWide, FoldedLengthsHold},
    KnownDifference{"spans with -x and -w", "a newline", WholeWordsPresent, WithoutWords,
                    kSameLines, WholeWordsHold},
    KnownDifference{"-v without a limit", "negative number", NoLimitPresent, WithoutLimit,
                    kSameLines, NoLimitHolds},
    KnownDifference{"words behind others", "forgets what stands before it", WordSpansPresent,
                    WithoutSpans, kSameLines, WordSpansHold},
    KnownDifference{"context of what is no text", "trailing context", ContextPresent,
                    WithoutContext, kSameLines, FalseContextIsAll},
    KnownDifference{"context of what turns out to be binary", "turns out to be binary",
                    BinaryContextPresent, WithoutContext, kSameLines, ContextOfBinaryIsAll},
    KnownDifference{"colours behind a limit", "in the context behind the last selected line",
                    ColoursPresent, WithoutSpans, kSameLines, ColoursHold},
    KnownDifference{"classes of -P", "know Unicode in UTF-8 locales", PerlClassesPresent,
                    WithAsciiClasses, AnyLine, PerlClassesHold},
    KnownDifference{"case of classes of -P", "of one case only", PerlCasePresent, WithAsciiClasses,
                    AnyLine, PerlClassesHold},
    KnownDifference{"lines of -P", "do not begin a line", PerlLinesPresent, WithoutInvalid,
                    HoldsInvalid, PerlLinesHold},
    KnownDifference{"empty words", "empty word", EmptyWordsPresent, WithoutWide, HoldsWide,
                    Strikes},
    KnownDifference{"beyond Unicode", "Surrogates", BeyondPresent, WithoutBeyond, HoldsBeyond,
                    Strikes},
    KnownDifference{"beyond Unicode in a pattern", "Surrogates", BeyondInPattern,
                    WithoutBeyondAnywhere, HoldsBeyond, Strikes},
    KnownDifference{"repeated beyond Unicode", "Surrogates", BeyondIsRepeated,
                    WithoutBeyondAnywhere, AnyLine, Strikes},
    KnownDifference{"escaped zero of an interval", "is a digit to one", EscapedZeroPresent,
                    WithoutEscapedZero, AnyLine, EscapedZeroHolds},
    KnownDifference{"lone parentheses", "closes nothing", LoneParenthesisPresent,
                    WithLoneParenthesesEscaped, AnyLine, LoneParenthesisHolds},
    KnownDifference{"fixed text of an alternative", "ends with an anchor", FixedTextPresent,
                    WithImpossibleAlternative, AnyLine, FixedTextHolds},
    KnownDifference{"repeated assertions", "repeated assertion", RepeatsPresent,
                    WithoutRepeatedAssertions, AnyLine, RepeatsHold},
};

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kKnownDifferences; }

}  // namespace differential
