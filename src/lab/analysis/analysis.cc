#include "lab/analysis/analysis.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace mr::lab {
namespace {

constexpr double kPageBytes = 4096;

void FillCell(Cell& cell, std::uint64_t seed) {
  std::stable_sort(
      cell.observations.begin(), cell.observations.end(),
      [](const Observation& a, const Observation& b) { return a.trial.block < b.trial.block; });
  if (cell.observations.empty()) return;
  cell.outlier = FindOutliers(Values(cell.observations, RealSeconds));
  cell.real = Summarize(cell.observations, RealSeconds, seed);
  cell.user = Summarize(cell.observations, UserSeconds, seed);
  cell.system = Summarize(cell.observations, SystemSeconds, seed);
  cell.disk_bytes = Summarize(cell.observations, DiskBytes, seed);
}

}  // namespace

void CompareWithItself(std::vector<Cell>& pairs, int arms) {
  constexpr double kShortestSeconds = 1e-6;
  std::vector<CarryOver*> real_family;
  std::vector<CarryOver*> bytes_family;
  for (Cell& cell : pairs) {
    if (*cell.first == cell.second) continue;
    const Cell& itself = pairs[cell.second * arms + cell.second];
    cell.real_carry_over =
        CompareInBlocks(cell.observations, itself.observations, RealSeconds, kShortestSeconds);
    cell.bytes_carry_over =
        CompareInBlocks(cell.observations, itself.observations, DiskBytes, kPageBytes);
    if (cell.real_carry_over) real_family.push_back(&*cell.real_carry_over);
    if (cell.bytes_carry_over) bytes_family.push_back(&*cell.bytes_carry_over);
  }
  AdjustFamily(real_family);
  AdjustFamily(bytes_family);
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
