#include "lab/analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

constexpr int kBootstrapResamples = 4000;

double SortedQuantile(std::span<const double> sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  if (share == 0.0) return sorted[below];
  return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

std::vector<double> WalshAverages(std::span<const double> differences) {
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      averages.push_back((differences[i] + differences[j]) / 2);
    }
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

// The distribution of a sum in which each rank is taken or left with probability one half:
// result[s] is the probability of the sum s.
std::vector<double> RankSumDistribution(std::span<const int> ranks) {
  std::vector<double> distribution{1.0};
  for (const int rank : ranks) {
    std::vector<double> next(distribution.size() + rank, 0.0);
    for (std::size_t sum = 0; sum < distribution.size(); ++sum) {
      next[sum] += distribution[sum] / 2;
      next[sum + rank] += distribution[sum] / 2;
    }
    distribution = std::move(next);
  }
  return distribution;
}

// Ranks of the absolute values, doubled so that the average ranks of ties are whole numbers.
// Zeros carry no sign and get no rank.
std::vector<int> DoubledRanks(std::span<const double> differences) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(differences[a]) < std::abs(differences[b]);
  });
  std::vector<int> ranks(differences.size(), 0);
  std::size_t begin = 0;
  while (begin < order.size() && differences[order[begin]] == 0.0) ++begin;
  const std::size_t zeros = begin;
  while (begin < order.size()) {
    std::size_t end = begin + 1;
    while (end < order.size() &&
           std::abs(differences[order[end]]) == std::abs(differences[order[begin]])) {
      ++end;
    }
    const int doubled = static_cast<int>((begin - zeros + 1) + (end - zeros));
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = doubled;
    begin = end;
  }
  return ranks;
}

}  // namespace

double Quantile(std::span<const double> values, double probability) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return SortedQuantile(sorted, probability);
}

double Median(std::span<const double> values) { return Quantile(values, 0.5); }

Interval BootstrapMedian(std::span<const double> values, double confidence, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> medians(kBootstrapResamples);
  std::vector<double> sample(values.size());
  for (double& median : medians) {
    for (double& value : sample) value = values[random.Below(values.size())];
    median = Median(sample);
  }
  std::sort(medians.begin(), medians.end());
  const double tail = (1 - confidence) / 2;
  return {SortedQuantile(medians, tail), SortedQuantile(medians, 1 - tail)};
}

double HodgesLehmann(std::span<const double> differences) {
  return SortedQuantile(WalshAverages(differences), 0.5);
}

std::optional<Interval> HodgesLehmannInterval(std::span<const double> differences,
                                              double confidence) {
  std::vector<int> ranks(differences.size());
  std::iota(ranks.begin(), ranks.end(), 1);
  const std::vector<double> distribution = RankSumDistribution(ranks);
  const double tail = (1 - confidence) / 2;
  // The largest rejected rank sum is `cut - 1`; that many averages are left out at each end.
  std::size_t cut = 0;
  double below = 0;
  while (cut < distribution.size() && below + distribution[cut] <= tail) {
    below += distribution[cut];
    ++cut;
  }
  if (cut == 0) return std::nullopt;
  const std::vector<double> averages = WalshAverages(differences);
  return Interval{averages[cut - 1], averages[averages.size() - cut]};
}

double SignFlipP(std::span<const double> differences) {
  const std::vector<int> ranks = DoubledRanks(differences);
  int positive = 0;
  int total = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    total += ranks[i];
    if (differences[i] > 0) positive += ranks[i];
  }
  const std::vector<double> distribution = RankSumDistribution(ranks);
  const int extremity = std::abs(2 * positive - total);
  double p = 0;
  for (int sum = 0; sum <= total; ++sum) {
    if (std::abs(2 * sum - total) >= extremity) p += distribution[sum];
  }
  return std::min(p, 1.0);
}

std::vector<double> HolmAdjust(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double scaled = p_values[order[i]] * static_cast<double>(order.size() - i);
    highest = std::max(highest, std::min(scaled, 1.0));
    adjusted[order[i]] = highest;
  }
  return adjusted;
}

std::vector<bool> FindOutliers(std::span<const double> values) {
  constexpr double kTiny = 1e-9;
  constexpr double kLimit = 3.5;
  constexpr double kSmallestScale = 0.01;
  // The median absolute deviation of a normal sample is 0.6745 standard deviations.
  constexpr double kNormalDeviation = 0.6745;
  std::vector<bool> apart(values.size(), false);
  if (values.size() < 4) return apart;
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(std::max(value, kTiny)));
  const double centre = Median(logs);
  std::vector<double> deviations;
  for (const double value : logs) deviations.push_back(std::abs(value - centre));
  const double scale = std::max(Median(deviations) / kNormalDeviation, kSmallestScale);
  for (std::size_t i = 0; i < values.size(); ++i) apart[i] = deviations[i] / scale > kLimit;
  return apart;
}

}  // namespace mr::lab
