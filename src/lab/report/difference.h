// Two logs of the same kind against each other: another machine, another version, another day.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/analysis/statistics.h"
#include "lab/report/table.h"

namespace mr::lab {

struct MeasuredThing {
  std::string name;  // "mr real", the same in every log of the kind
  std::string unit;  // "s", "bytes"
  std::vector<double> values;
};

struct Difference {
  std::string name;
  std::string unit;
  double before = 0;  // medians
  double after = 0;
  double ratio = 1;      // of the medians, after to before
  Interval interval;     // bootstrap: both samples are drawn again
  bool differs = false;  // enough values on both sides, and 1 is outside of the interval
};

// One for each name that both have values for, in the order of `after`. Values of zero or less
// are taken as `tiny` of their unit. The samples are independent, so blocks are not paired; a
// machine that was busier on one day shows as a difference like any other.
std::vector<Difference> CompareLogs(std::span<const MeasuredThing> before,
                                    std::span<const MeasuredThing> after, std::uint64_t seed);

Table DifferenceTable(std::span<const Difference> differences);

}  // namespace mr::lab
