#include "lab/analysis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>

namespace mr::lab {
namespace {

constexpr double kPageBytes = 4096;

using Value = std::function<double(const Observation&)>;

double Real(const Observation& row) { return std::chrono::duration<double>(row.real).count(); }
double User(const Observation& row) {
  return std::chrono::duration<double>(row.usage.user).count();
}
double System(const Observation& row) {
  return std::chrono::duration<double>(row.usage.system).count();
}
double DiskBytes(const Observation& row) { return static_cast<double>(row.disk_bytes()); }

std::vector<double> Values(const Cell& cell, const Value& value) {
  std::vector<double> values;
  for (const Observation& row : cell.observations) values.push_back(value(row));
  return values;
}

Summary Summarize(const Cell& cell, const Value& value, std::uint64_t seed) {
  const std::vector<double> values = Values(cell, value);
  return {.median = Median(values),
          .min = *std::min_element(values.begin(), values.end()),
          .max = *std::max_element(values.begin(), values.end()),
          .interval = BootstrapMedian(values, kConfidence, seed)};
}

void FillCell(Cell& cell, std::uint64_t seed) {
  std::stable_sort(
      cell.observations.begin(), cell.observations.end(),
      [](const Observation& a, const Observation& b) { return a.trial.block < b.trial.block; });
  if (cell.observations.empty()) return;
  cell.outlier = FindOutliers(Values(cell, Real));
  cell.real = Summarize(cell, Real, seed);
  cell.user = Summarize(cell, User, seed);
  cell.system = Summarize(cell, System, seed);
  cell.disk_bytes = Summarize(cell, DiskBytes, seed);
}

// From the half width of the interval on the logarithmic scale to the effect that is found with a
// power of 80 %: (z(0.975) + z(0.8)) / z(0.975) half widths.
double SmallestDetectable(const Interval& log_interval) {
  constexpr double kPowerFactor = (1.959964 + 0.841621) / 1.959964;
  const double half_width = (log_interval.high - log_interval.low) / 2;
  return 1 - std::exp(-half_width * kPowerFactor);
}

std::optional<CarryOver> Compare(const Cell& after_other, const Cell& after_itself,
                                 const Value& value, double smallest) {
  std::map<int, double> base;
  for (const Observation& row : after_itself.observations) {
    base[row.trial.block] = std::log(std::max(value(row), smallest));
  }
  std::vector<double> differences;
  for (const Observation& row : after_other.observations) {
    const auto found = base.find(row.trial.block);
    if (found == base.end()) continue;
    differences.push_back(std::log(std::max(value(row), smallest)) - found->second);
  }
  if (differences.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  CarryOver result{.blocks = static_cast<int>(differences.size()),
                   .ratio = std::exp(HodgesLehmann(differences)),
                   .range = {std::exp(*least), std::exp(*most)},
                   .interval = {},
                   .p = SignFlipP(differences),
                   .smallest_detectable = {}};
  if (const auto interval = HodgesLehmannInterval(differences, kConfidence)) {
    result.interval = Interval{std::exp(interval->low), std::exp(interval->high)};
    result.smallest_detectable = SmallestDetectable(*interval);
  }
  return result;
}

// Completes one family of comparisons.
void Adjust(std::vector<CarryOver*>& family) {
  std::vector<double> p_values;
  for (const CarryOver* member : family) p_values.push_back(member->p);
  const std::vector<double> adjusted = HolmAdjust(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) {
    CarryOver& member = *family[i];
    member.adjusted_p = adjusted[i];
    member.effect = member.blocks >= kBlocksForClaim && member.adjusted_p <= 1 - kConfidence &&
                    member.interval && (member.interval->low > 1 || member.interval->high < 1);
  }
}

}  // namespace

void CompareWithItself(std::vector<Cell>& pairs, int arms) {
  constexpr double kShortestSeconds = 1e-6;
  std::vector<CarryOver*> real_family;
  std::vector<CarryOver*> bytes_family;
  for (Cell& cell : pairs) {
    if (*cell.first == cell.second) continue;
    const Cell& itself = pairs[cell.second * arms + cell.second];
    cell.real_carry_over = Compare(cell, itself, Real, kShortestSeconds);
    cell.bytes_carry_over = Compare(cell, itself, DiskBytes, kPageBytes);
    if (cell.real_carry_over) real_family.push_back(&*cell.real_carry_over);
    if (cell.bytes_carry_over) bytes_family.push_back(&*cell.bytes_carry_over);
  }
  Adjust(real_family);
  Adjust(bytes_family);
}

Report Analyze(const Plan& plan, std::span<const Observation> observations) {
  const int arms = static_cast<int>(plan.arms.size());
  Report report;
  report.planned = static_cast<int>(MakeSchedule(plan).size());
  for (int first = 0; first < arms; ++first) {
    for (int second = 0; second < arms; ++second) {
      Cell& pair = report.pairs.emplace_back();
      pair.first = first;
      pair.second = second;
    }
    report.lead_ins.emplace_back().second = first;
  }

  std::map<int, int> last_attempt;  // of each unit
  for (const Observation& row : observations) {
    int& attempt = last_attempt[row.trial.unit];
    attempt = std::max(attempt, row.attempt);
  }
  for (const Observation& row : observations) {
    if (row.attempt != last_attempt[row.trial.unit]) {
      ++report.superseded;
      continue;
    }
    ++report.observed;
    Cell& cell = row.trial.previous ? report.pairs[*row.trial.previous * arms + row.trial.arm]
                                    : report.lead_ins[row.trial.arm];
    if (row.outcome == Outcome::kOk) {
      cell.observations.push_back(row);
    } else {
      ++cell.excluded;
      report.excluded.push_back(row);
    }
  }
  std::stable_sort(
      report.excluded.begin(), report.excluded.end(),
      [](const Observation& a, const Observation& b) { return a.trial.index < b.trial.index; });

  std::uint64_t seed = plan.seed;
  for (Cell& cell : report.pairs) FillCell(cell, ++seed);
  for (Cell& cell : report.lead_ins) FillCell(cell, ++seed);
  CompareWithItself(report.pairs, arms);
  return report;
}

}  // namespace mr::lab
