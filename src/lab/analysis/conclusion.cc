#include "lab/analysis/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mr::lab {
namespace {

std::string Percent(double share) {
  const double percent = share * 100;
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string PValue(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

// "takes 27 % less time (95 % interval 25 % less to 28 % less, p = 0.004)", or that nothing was
// found.
std::string Clause(const CarryOver& carry_over, std::string_view verb, std::string_view subject,
                   std::string_view measure) {
  if (carry_over.effect) {
    return fmt::format("{} {} {} (95 % interval {} to {}, {})", verb,
                       ChangeInWords(carry_over.ratio), subject,
                       ChangeInWords(carry_over.interval->low),
                       ChangeInWords(carry_over.interval->high), PValue(carry_over.adjusted_p));
  }
  if (!carry_over.smallest_detectable) return fmt::format("no effect on {} found", measure);
  return fmt::format("no effect on {} found, smallest detectable: {}", measure,
                     Percent(*carry_over.smallest_detectable));
}

}  // namespace

std::string ChangeInWords(double ratio) {
  if (ratio >= 1.995) return fmt::format("{:.1f} times as much", ratio);
  if (std::abs(ratio - 1) < 0.0005) return "0.0 % more";
  return Percent(std::abs(ratio - 1)) + (ratio < 1 ? " less" : " more");
}

std::vector<std::string> Conclude(const Plan& plan, const Report& report) {
  if (plan.arms.size() < 2) return {"One arm only: nothing to compare."};
  int most_blocks = 0;
  for (const Cell& cell : report.pairs) {
    if (cell.real_carry_over) most_blocks = std::max(most_blocks, cell.real_carry_over->blocks);
  }
  const int arms = static_cast<int>(plan.arms.size());
  const int blocks_for_claim = BlocksForClaim(arms * (arms - 1));
  if (most_blocks < blocks_for_claim) {
    return {
        fmt::format("No conclusion from {} complete block{}: at least {} are needed for a claim.",
                    most_blocks, most_blocks == 1 ? "" : "s", blocks_for_claim)};
  }
  std::vector<std::string> sentences;
  for (const Cell& cell : report.pairs) {
    if (!cell.real_carry_over || !cell.bytes_carry_over) continue;
    const std::string& first = plan.arms[*cell.first].name;
    const std::string& second = plan.arms[cell.second].name;
    if (cell.real_carry_over->blocks < blocks_for_claim) {
      sentences.push_back(fmt::format("{} after {}: only {} blocks, no conclusion.", second, first,
                                      cell.real_carry_over->blocks));
      continue;
    }
    sentences.push_back(fmt::format(
        "{0} after {1}, against {0} after {0}: {2}; {3}.", second, first,
        Clause(*cell.real_carry_over, "takes", "time", "time"),
        Clause(*cell.bytes_carry_over, "fetches", "from the disk", "bytes from the disk")));
  }
  return sentences;
}

}  // namespace mr::lab
