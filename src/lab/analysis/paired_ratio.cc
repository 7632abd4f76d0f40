#include "lab/analysis/paired_ratio.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>

namespace mr::lab {
namespace {

// The value below which a standard normal variable is with this probability, by halving.
double NormalQuantile(double probability) {
  double low = -10;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < probability ? low : high) = middle;
  }
  return low;
}

// The half width of the interval on the logarithmic scale is about z(0.975) standard errors. An
// effect is found with a power of 80 % when it is z(1 - level / 2) + z(0.8) of them, where the
// level is that which Holm's method asks of its first member.
double SmallestDetectable(const Interval& interval, std::size_t comparisons) {
  constexpr double kPower = 0.8;
  const double error = (std::log(interval.high) - std::log(interval.low)) / 2 /
                       NormalQuantile(1 - (1 - kConfidence) / 2);
  const double level = (1 - kConfidence) / static_cast<double>(comparisons);
  return 1 - std::exp(-error * (NormalQuantile(1 - level / 2) + NormalQuantile(kPower)));
}

}  // namespace

int BlocksForClaim(int comparisons) {
  int blocks = kBlocksForClaim;
  while (std::ldexp(comparisons, 1 - blocks) > 1 - kConfidence) ++blocks;
  return blocks;
}

double RealSeconds(const Observation& row) {
  return std::chrono::duration<double>(row.real).count();
}

double UserSeconds(const Observation& row) {
  return std::chrono::duration<double>(row.usage.user).count();
}

double SystemSeconds(const Observation& row) {
  return std::chrono::duration<double>(row.usage.system).count();
}

double DiskBytes(const Observation& row) { return static_cast<double>(row.disk_bytes()); }

std::vector<double> Values(std::span<const Observation> rows, const Value& value) {
  std::vector<double> values;
  for (const Observation& row : rows) values.push_back(value(row));
  return values;
}

Summary Summarize(std::span<const Observation> rows, const Value& value, std::uint64_t seed) {
  const std::vector<double> values = Values(rows, value);
  return {.median = Median(values),
          .min = *std::min_element(values.begin(), values.end()),
          .max = *std::max_element(values.begin(), values.end()),
          .interval = BootstrapMedian(values, kConfidence, seed)};
}

std::optional<PairedRatio> CompareInBlocks(std::span<const Observation> rows,
                                           std::span<const Observation> against, const Value& value,
                                           double smallest) {
  std::map<int, double> base;
  for (const Observation& row : against) {
    base[row.trial.block] = std::log(std::max(value(row), smallest));
  }
  std::vector<double> differences;
  for (const Observation& row : rows) {
    const auto found = base.find(row.trial.block);
    if (found == base.end()) continue;
    differences.push_back(std::log(std::max(value(row), smallest)) - found->second);
  }
  if (differences.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  PairedRatio result{.blocks = static_cast<int>(differences.size()),
                     .ratio = std::exp(HodgesLehmann(differences)),
                     .range = {std::exp(*least), std::exp(*most)},
                     .interval = {},
                     .p = SignFlipP(differences),
                     .smallest_detectable = {}};
  if (const auto interval = HodgesLehmannInterval(differences, kConfidence)) {
    result.interval = Interval{std::exp(interval->low), std::exp(interval->high)};
  }
  return result;
}

void AdjustFamily(std::span<PairedRatio* const> family) {
  std::vector<double> p_values;
  for (const PairedRatio* member : family) p_values.push_back(member->p);
  const std::vector<double> adjusted = HolmAdjust(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) {
    PairedRatio& member = *family[i];
    member.adjusted_p = adjusted[i];
    if (member.interval) {
      member.smallest_detectable = SmallestDetectable(*member.interval, family.size());
    }
    member.effect = member.blocks >= kBlocksForClaim && member.adjusted_p <= 1 - kConfidence &&
                    member.interval && (member.interval->low > 1 || member.interval->high < 1);
  }
}

}  // namespace mr::lab
