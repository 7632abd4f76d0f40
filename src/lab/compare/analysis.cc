#include "lab/compare/analysis.h"

#include <algorithm>

namespace mr::lab {
namespace {

constexpr double kShortestSeconds = 1e-6;

double Count(const os::Counters& counters, std::string_view name) {
  return static_cast<double>(os::Find(counters, name).value_or(0));
}

// Over all operations: their names end in `suffix`.
double Sum(const os::Counters& counters, std::string_view suffix) {
  double sum = 0;
  for (const auto& [name, value] : counters) {
    if (name.ends_with(suffix)) sum += static_cast<double>(value);
  }
  return sum;
}

template <typename F>
double MedianOf(const std::vector<const CompareObservation*>& rows, const F& value) {
  std::vector<double> values;
  for (const CompareObservation* row : rows) values.push_back(value(*row));
  return Median(values);
}

std::optional<NfsSummary> SummarizeNfs(const std::vector<const CompareObservation*>& rows) {
  for (const CompareObservation* row : rows) {
    if (!row->nfs) return std::nullopt;
  }
  const auto median = [&](const auto& of_counters) {
    return MedianOf(rows, [&](const CompareObservation& row) { return of_counters(*row.nfs); });
  };
  NfsSummary summary;
  summary.read_calls = median([](const auto& nfs) { return Count(nfs, "READ.calls"); });
  summary.server_read_bytes =
      median([](const auto& nfs) { return Count(nfs, "server_read_bytes"); });
  summary.other_calls =
      median([](const auto& nfs) { return Sum(nfs, ".calls") - Count(nfs, "READ.calls"); });
  summary.resent =
      median([](const auto& nfs) { return Sum(nfs, ".transmissions") - Sum(nfs, ".calls"); });
  if (summary.read_calls > 0) {
    // A run without a READ has no time of one; the median has some, so at least half do.
    const auto per_call = [](std::string_view name) {
      return [name](const auto& nfs) {
        return Count(nfs, name) / std::max(Count(nfs, "READ.calls"), 1.0);
      };
    };
    summary.read_rtt_ms = median(per_call("READ.rtt_ms"));
    summary.read_execute_ms = median(per_call("READ.execute_ms"));
  }
  return summary;
}

void FillCell(CompareCell& cell, std::vector<const CompareObservation*> rows, std::uint64_t seed) {
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->trial.block < b->trial.block; });
  for (const CompareObservation* row : rows) cell.observations.push_back(row->row);
  cell.outlier = FindOutliers(Values(cell.observations, RealSeconds));
  cell.real = Summarize(cell.observations, RealSeconds, seed);
  cell.user = Summarize(cell.observations, UserSeconds, seed);
  cell.system = Summarize(cell.observations, SystemSeconds, seed);
  cell.fetched_bytes =
      MedianOf(rows, [](const CompareObservation& row) { return row.fetched_bytes(); });
  cell.nfs = SummarizeNfs(rows);
}

bool Is(const CompareCell& cell, int arm, int place, CacheStart start) {
  return cell.arm == arm && cell.place == place && cell.start == start;
}

const CompareCell* Find(const std::vector<CompareCell>& cells, int arm, int place,
                        CacheStart start) {
  for (const CompareCell& cell : cells) {
    if (Is(cell, arm, place, start)) return &cell;
  }
  return nullptr;
}

}  // namespace

CompareReport AnalyzeComparison(const ComparePlan& plan,
                                std::span<const CompareObservation> observations) {
  CompareReport report;
  report.planned = static_cast<int>(MakeCompareSchedule(plan).size());
  report.observed = static_cast<int>(observations.size());
  std::uint64_t seed = plan.seed;
  for (const CacheStart start : {CacheStart::kCold, CacheStart::kWarm}) {
    for (int arm = 0; arm < static_cast<int>(plan.arms.size()); ++arm) {
      for (int place = 0; place < static_cast<int>(plan.places.size()); ++place) {
        const std::vector<CacheStart>& starts = plan.places[place].starts;
        if (std::find(starts.begin(), starts.end(), start) == starts.end()) continue;
        CompareCell& cell = report.cells.emplace_back();
        cell.arm = arm;
        cell.place = place;
        cell.start = start;
        std::vector<const CompareObservation*> counted;
        for (const CompareObservation& observation : observations) {
          const CompareTrial& trial = observation.trial;
          if (!Is(cell, trial.arm, trial.place, trial.start)) continue;
          if (observation.row.outcome == Outcome::kOk) {
            counted.push_back(&observation);
          } else {
            ++cell.excluded;
            report.excluded.push_back(observation);
          }
        }
        FillCell(cell, std::move(counted), ++seed);
      }
    }
  }
  std::stable_sort(report.excluded.begin(), report.excluded.end(),
                   [](const auto& a, const auto& b) { return a.trial.index < b.trial.index; });

  std::vector<PairedRatio*> places;
  std::vector<PairedRatio*> arms;
  for (CompareCell& cell : report.cells) {
    if (const CompareCell* first = Find(report.cells, cell.arm, 0, cell.start);
        first != nullptr && cell.place != 0) {
      cell.against_first_place =
          CompareInBlocks(cell.observations, first->observations, RealSeconds, kShortestSeconds);
      if (cell.against_first_place) places.push_back(&*cell.against_first_place);
    }
    if (const CompareCell* first = Find(report.cells, 0, cell.place, cell.start);
        first != nullptr && cell.arm != 0) {
      cell.against_first_arm =
          CompareInBlocks(cell.observations, first->observations, RealSeconds, kShortestSeconds);
      if (cell.against_first_arm) arms.push_back(&*cell.against_first_arm);
    }
  }
  AdjustFamily(places);
  AdjustFamily(arms);
  return report;
}

}  // namespace mr::lab
