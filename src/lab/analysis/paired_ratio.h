// Two things measured once in each block, and what may be said about their ratio: Hodges-Lehmann on
// logarithms, with the signed-rank interval and p. Pure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lab/analysis/statistics.h"
#include "lab/plan/observation.h"

namespace mr::lab {

inline constexpr double kConfidence = 0.95;
// With fewer blocks nothing is claimed, however clear it looks.
inline constexpr int kBlocksForClaim = 10;
// The least number of blocks from which any member of a family of `comparisons` can be claimed at
// all: the exact p of n blocks is never below 2^(1 - n), which Holm's method then multiplies.
int BlocksForClaim(int comparisons);

struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
  Interval interval;  // bootstrap over blocks, of the median
};

// What one thing takes, against what another takes, both measured in the same blocks.
struct PairedRatio {
  int blocks = 0;    // that have both
  double ratio = 1;  // 0.75: a quarter less
  Interval range;    // smallest and largest ratio of a block
  // Nothing with fewer than six blocks: no distribution-free 95 % interval exists then.
  std::optional<Interval> interval;
  double p = 1;
  double adjusted_p = 1;
  // The smallest effect (as a share, 0.03 is 3 %) that a run with this much noise, this many blocks
  // and this family of comparisons would find four times out of five. Known after AdjustFamily.
  std::optional<double> smallest_detectable;
  bool effect = false;  // enough blocks, adjusted p within the level and 1 outside the interval
};

// What an experiment may be about, in seconds and bytes.
using Value = std::function<double(const Observation&)>;
double RealSeconds(const Observation& row);
double UserSeconds(const Observation& row);
double SystemSeconds(const Observation& row);
double DiskBytes(const Observation& row);

std::vector<double> Values(std::span<const Observation> rows, const Value& value);

// `rows` must not be empty; `seed` is that of the bootstrap.
Summary Summarize(std::span<const Observation> rows, const Value& value, std::uint64_t seed);

// Values below `smallest` are taken as that. Nothing when no block has both.
std::optional<PairedRatio> CompareInBlocks(std::span<const Observation> rows,
                                           std::span<const Observation> against, const Value& value,
                                           double smallest);

// Completes one family of comparisons: adjusted_p, smallest_detectable and effect.
void AdjustFamily(std::span<PairedRatio* const> family);

}  // namespace mr::lab
