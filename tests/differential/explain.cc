// A difference counts as explained only when it vanishes together with its cause, everything else
// being the same byte for byte, and when the lines that only one of the two selects are lines that
// hold what the cause needs.

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/false_context.h"
#include "differential/judge.h"
#include "differential/options.h"
#include "differential/rewrite.h"

namespace differential {
namespace {

// The text of --help, which a colour of no known name brings up as well.
bool IsHelp(const Dispute& dispute) {
  return dispute.reference.status == dispute.subject.status &&
         dispute.reference.output.find("Usage: grep [OPTION]") != std::string::npos &&
         dispute.subject.output.find("Usage: mrgrep [OPTION]") != std::string::npos;
}

// A bracket with several mistakes, of which each names another; or one with a byte that is no
// character and a mistake that mrgrep, which leaves it to the C library, sees after another.
bool IsOtherMistake(const Dispute& dispute) {
  static const std::regex in_bracket(
      "grep: (?:pats:[0-9]+: )?(Invalid range end|Invalid character class name|Invalid collation "
      "character|"
      "Unmatched \\[, \\[\\^, \\[:, \\[\\., or \\[=)");
  static const std::regex any("grep: .*");
  const auto& patterns = dispute.test_case.patterns;
  const bool holds_invalid =
      InUtf8(dispute.test_case) &&
      std::any_of(patterns.begin(), patterns.end(), [](const std::string& text) {
        return (HasKind(text, CharacterKind::kInvalid) || HasKind(text, CharacterKind::kBeyond)) &&
               text.find('[') != std::string::npos;
      });
  // One message for each pattern that is malformed.
  const auto messages = [](const RunResult& result) {
    return SplitLines(WithReferenceName(result.output + result.errors), '\n');
  };
  const auto theirs = messages(dispute.reference);
  const auto ours = messages(dispute.subject);
  if (dispute.reference.status != 2 || dispute.subject.status != 2 || ours.empty()) return false;
  // Of a pattern that mrgrep leaves to the C library there is no message where another is
  // malformed.
  auto mine = ours.begin();
  for (const std::string& message : theirs) {
    const bool pairs =
        mine != ours.end() &&
        (message == *mine || (std::regex_match(message, in_bracket) &&
                              std::regex_match(*mine, holds_invalid ? any : in_bracket)));
    if (pairs) {
      ++mine;
    } else if (!holds_invalid || !std::regex_match(message, in_bracket)) {
      return false;
    }
  }
  return mine == ours.end();
}

// With the patterns as arguments where the file that holds them may be searched too.
Case WithoutPatternFile(Case test_case) {
  const bool recursive = Has(test_case, "-r") || Has(test_case, "-R");
  if (!recursive || test_case.pattern_style != PatternStyle::kFile || test_case.patterns.empty()) {
    return test_case;
  }
  test_case.files.push_back({Case::kPatternFile, test_case.PatternFileBytes()});
  test_case.pattern_style = PatternStyle::kOption;
  return test_case;
}

bool Touches(const KnownDifference& cause, const Judge::Odd& odd) {
  return cause.touches != nullptr && cause.touches(odd.line);
}

bool Explains(const KnownDifference& cause, const Dispute& dispute, Judge& judge) {
  if (!cause.present(dispute.test_case) || !judge.Agree(cause.without(dispute.test_case))) {
    return false;
  }
  // What parts of a line are shown is for `holds` to judge if the cause leaves the lines alone.
  const auto odds =
      cause.touches == nullptr ? judge.OddLines(dispute.test_case) : judge.Odds(dispute.test_case);
  return std::all_of(odds.begin(), odds.end(),
                     [&](const Judge::Odd& odd) { return Touches(cause, odd); }) &&
         cause.holds(dispute, judge);
}

// Whether `cause` explains what is left when the other cause is gone.
bool ExplainsWithout(const KnownDifference& other, const KnownDifference& cause,
                     const Case& test_case, Judge& judge) {
  const Case rest = other.without(test_case);
  const RunResult reference = judge.Reference(rest);
  const RunResult subject = judge.Subject(rest);
  if (reference.timed_out || Judge::Same(rest, reference, subject)) return false;
  return Explains(cause, Dispute{rest, reference, subject}, judge);
}

// Each explains what the other leaves; but without one of them there may be nothing to explain,
// when the other only decides who reads it.
bool ExplainTogether(const KnownDifference& one, const KnownDifference& other,
                     const Dispute& dispute, Judge& judge) {
  const auto odds = judge.OddLines(dispute.test_case);
  return std::all_of(
             odds.begin(), odds.end(),
             [&](const Judge::Odd& odd) { return Touches(one, odd) || Touches(other, odd); }) &&
         (ExplainsWithout(one, other, dispute.test_case, judge)
              ? ExplainsWithout(other, one, dispute.test_case, judge) ||
                    judge.Agree(other.without(dispute.test_case))
              : judge.Agree(one.without(dispute.test_case)) &&
                    ExplainsWithout(other, one, dispute.test_case, judge));
}

}  // namespace

std::string Explain(const Case& test_case, const RunResult& reference, const RunResult& subject,
                    Judge& judge) {
  // No reason is good enough for a crash, nor for what does not come again, spelled canonically.
  constexpr int kHighestOfGrep = 2;
  if (subject.timed_out || subject.status > kHighestOfGrep) return {};
  const Case canonical = Canonical(test_case);
  if (judge.Subject(canonical) != subject) return {};
  if (IsOtherMistake({canonical, reference, subject})) return "several mistakes";
  Dispute dispute{WithoutPatternFile(canonical), reference, subject};
  // Messages about patterns name the file.
  if (judge.Subject(dispute.test_case) != subject) dispute.test_case = canonical;
  if (IsHelp(dispute)) return "help";
  // On some repeated assertions the C library loses its way, and GNU grep aborts.
  if (reference.errors.find("grep: program error") != std::string::npos) return "program error";
  if (Judge::Same(dispute.test_case, reference, subject)) return "order of a directory";
  std::vector<const KnownDifference*> present;
  for (const auto& known : KnownDifferences()) {
    if (known.present(dispute.test_case)) present.push_back(&known);
  }
  for (const auto* known : present) {
    if (Explains(*known, dispute, judge)) return std::string(known->name);
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      if (ExplainTogether(*present[i], *present[j], dispute, judge)) {
        return std::string(present[i]->name) + " and " + std::string(present[j]->name);
      }
    }
  }
  return {};
}

}  // namespace differential
