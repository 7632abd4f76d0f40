#include "differential/folded_lengths.h"

#include <algorithm>

#include "differential/options.h"
#include "differential/rewrite.h"

namespace differential {

bool FoldedLengthsPresent(const Case& test_case) {
  return InUtf8(test_case) && Has(test_case, "-i") && SyntaxOf(test_case) != 'P' &&
         AnyFileHas(test_case, CharacterKind::kInvalid) &&
         AnyFileHas(test_case, CharacterKind::kWide) &&
         std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                     [](const auto& pattern) { return pattern.find('[') != std::string::npos; });
}

bool HoldsInvalidAndWide(const std::string& line) {
  return HasKind(line, CharacterKind::kInvalid) && HasKind(line, CharacterKind::kWide);
}

// It is GNU grep that does not find something.
bool FoldedLengthsHold(const Dispute& dispute, Judge& judge) {
  const bool inverted = Has(dispute.test_case, "-v");
  const auto odds = judge.Odds(dispute.test_case);
  return !odds.empty() && std::all_of(odds.begin(), odds.end(), [&](const Judge::Odd& odd) {
    return odd.by_subject != inverted;
  });
}

}  // namespace differential
