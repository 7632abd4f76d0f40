// The statistics of ordered pairs. Pure functions over small samples.
//
// Sources: Hodges and Lehmann, "Estimates of location based on rank tests" (1963), for the shift
// and its distribution-free interval; Wilcoxon (1945) for the signed-rank test, here over the exact
// distribution of sign flips, which is the within-block permutation; Holm (1979); Efron's
// percentile bootstrap; Iglewicz and Hoaglin (1993) for outliers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mr::lab {

struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

// Linear interpolation between order statistics (Hyndman and Fan's type 7, as R and NumPy do by
// default). `values` must not be empty; 0 <= probability <= 1.
double Quantile(std::span<const double> values, double probability);
double Median(std::span<const double> values);

// Percentile bootstrap of the median. Each value belongs to a block of its own, so resampling
// values is resampling blocks. `values` must not be empty.
Interval BootstrapMedian(std::span<const double> values, double confidence, std::uint64_t seed);

// The Hodges-Lehmann estimate of the centre of `differences`: the median of all averages of two
// of them, each also with itself. Must not be empty.
double HodgesLehmann(std::span<const double> differences);

// The interval that belongs to it: the centres which the exact two-sided signed-rank test does not
// reject. Nothing when there are too few differences for any such interval (fewer than 6 for
// 95 %).
std::optional<Interval> HodgesLehmannInterval(std::span<const double> differences,
                                              double confidence);

// Two-sided p of "the two values of each block may be exchanged": the share of the 2^n ways to
// swap them within blocks whose signed-rank sum is as far from zero as the one seen. Exact for
// every n, with ties and zeros. 1 for an empty sample.
double SignFlipP(std::span<const double> differences);

// Holm's step-down adjustment: p values, in the order given, that may each be compared with the
// level wanted for the whole family.
std::vector<double> HolmAdjust(std::span<const double> p_values);

// Which values stand apart: modified z score over 3.5 on the logarithms, with a scale of at least
// one per cent so that nearly equal values are never called outliers. Values must be positive
// (zero counts as tiny); fewer than four values have no outliers.
std::vector<bool> FindOutliers(std::span<const double> values);

}  // namespace mr::lab
