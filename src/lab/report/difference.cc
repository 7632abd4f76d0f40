#include "lab/report/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "io/size.h"
#include "lab/analysis/paired_ratio.h"
#include "lab/data/random.h"

namespace mr::lab {
namespace {

constexpr int kResamples = 4000;

// Ratios need something to divide by: a page, a microsecond.
double Tiny(const std::string& unit) { return unit == "bytes" ? 4096 : 1e-6; }

double DrawnMedian(const std::vector<double>& values, Random& random) {
  std::vector<double> sample(values.size());
  for (double& value : sample) value = values[random.Below(values.size())];
  return Median(sample);
}

Difference Compare(const MeasuredThing& before, const MeasuredThing& after, std::uint64_t seed) {
  const double tiny = Tiny(after.unit);
  const auto ratio = [&](double from, double to) {
    return std::max(to, tiny) / std::max(from, tiny);
  };
  Difference result{.name = after.name,
                    .unit = after.unit,
                    .before = Median(before.values),
                    .after = Median(after.values),
                    .interval = {}};
  result.ratio = ratio(result.before, result.after);
  Random random(seed);
  std::vector<double> ratios(kResamples);
  for (double& drawn : ratios) {
    const double from = DrawnMedian(before.values, random);
    drawn = ratio(from, DrawnMedian(after.values, random));
  }
  const double tail = (1 - kConfidence) / 2;
  result.interval = {Quantile(ratios, tail), Quantile(ratios, 1 - tail)};
  const auto enough = static_cast<std::size_t>(kBlocksForClaim);
  result.differs = before.values.size() >= enough && after.values.size() >= enough &&
                   (result.interval.low > 1 || result.interval.high < 1);
  return result;
}

std::string Shown(double value, const std::string& unit) {
  return unit == "bytes" ? io::RoughSize(value) : fmt::format("{:.4g} {}", value, unit);
}

}  // namespace

std::vector<Difference> CompareLogs(std::span<const MeasuredThing> before,
                                    std::span<const MeasuredThing> after, std::uint64_t seed) {
  std::vector<Difference> differences;
  for (const MeasuredThing& thing : after) {
    const auto other = std::find_if(before.begin(), before.end(), [&](const MeasuredThing& known) {
      return known.name == thing.name && known.unit == thing.unit;
    });
    if (other == before.end() || other->values.empty() || thing.values.empty()) continue;
    differences.push_back(Compare(*other, thing, ++seed));
  }
  return differences;
}

Table DifferenceTable(std::span<const Difference> differences) {
  Table table{
      .header = {"", "before", "now", "ratio", "95 % interval", ""}, .rows = {}, .word_columns = 1};
  for (const Difference& row : differences) {
    table.rows.push_back({row.name, Shown(row.before, row.unit), Shown(row.after, row.unit),
                          fmt::format("{:.3f}", row.ratio),
                          fmt::format("{:.3f} .. {:.3f}", row.interval.low, row.interval.high),
                          row.differs ? "differs" : ""});
  }
  return table;
}

}  // namespace mr::lab
