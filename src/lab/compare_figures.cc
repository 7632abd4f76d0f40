// Reports of comparisons for programs: CSV and JSON, unrounded.
#include <fmt/format.h>

#include "lab/compare_report.h"

namespace mr::lab {
namespace {

std::string Number(double value) { return fmt::format("{}", value); }

std::string Number(const std::optional<double>& value) { return value ? Number(*value) : ""; }

Json ToJson(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json ToJson(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  return {{"median", summary->median},
          {"interval", ToJson(summary->interval)},
          {"min", summary->min},
          {"max", summary->max}};
}

Json ToJson(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ToJson(const std::optional<PairedRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"blocks", ratio->blocks},
          {"ratio", ratio->ratio},
          {"range", ToJson(ratio->range)},
          {"interval", ratio->interval ? ToJson(*ratio->interval) : Json(nullptr)},
          {"p", ratio->p},
          {"adjusted_p", ratio->adjusted_p},
          {"smallest_detectable", ToJson(ratio->smallest_detectable)},
          {"effect", ratio->effect}};
}

Json ToJson(const std::optional<NfsSummary>& nfs) {
  if (!nfs) return nullptr;
  return {
      {"read_calls", nfs->read_calls},           {"server_read_bytes", nfs->server_read_bytes},
      {"read_rtt_ms", ToJson(nfs->read_rtt_ms)}, {"read_execute_ms", ToJson(nfs->read_execute_ms)},
      {"other_calls", nfs->other_calls},         {"resent", nfs->resent}};
}

void AppendSummary(std::vector<std::string>& row, const std::optional<Summary>& summary) {
  if (!summary) {
    row.insert(row.end(), 5, "");
    return;
  }
  row.insert(row.end(),
             {Number(summary->median), Number(summary->interval.low),
              Number(summary->interval.high), Number(summary->min), Number(summary->max)});
}

void AppendRatio(std::vector<std::string>& row, const std::optional<PairedRatio>& ratio) {
  if (!ratio) {
    row.insert(row.end(), 4, "");
    return;
  }
  const auto& interval = ratio->interval;
  row.insert(row.end(), {Number(ratio->ratio), interval ? Number(interval->low) : "",
                         interval ? Number(interval->high) : "", Number(ratio->adjusted_p)});
}

void AppendNfs(std::vector<std::string>& row, const std::optional<NfsSummary>& nfs) {
  if (!nfs) {
    row.insert(row.end(), 6, "");
    return;
  }
  row.insert(row.end(),
             {Number(nfs->read_calls), Number(nfs->server_read_bytes), Number(nfs->read_rtt_ms),
              Number(nfs->read_execute_ms), Number(nfs->other_calls), Number(nfs->resent)});
}

}  // namespace

Table ComparisonFigures(const ComparePlan& plan, const CompareReport& report) {
  Table table{.header = {"start", "arm", "place", "n", "excluded"}, .rows = {}, .word_columns = 3};
  for (const std::string measure : {"real_s", "user_s", "system_s"}) {
    for (const std::string part : {"median", "low", "high", "min", "max"}) {
      table.header.push_back(measure + "_" + part);
    }
  }
  table.header.emplace_back("fetched_bytes");
  for (const std::string against : {"first_place", "first_arm"}) {
    for (const std::string part : {"ratio", "ratio_low", "ratio_high", "adjusted_p"}) {
      table.header.push_back(against + "_" + part);
    }
  }
  for (const char* name : {"read_calls", "server_read_bytes", "read_rtt_ms", "read_execute_ms",
                           "other_calls", "resent"}) {
    table.header.push_back(std::string("nfs_") + name);
  }
  for (const CompareCell& cell : report.cells) {
    std::vector<std::string> row = {std::string(CacheStartName(cell.start)),
                                    plan.arms[cell.arm].name, plan.places[cell.place].name,
                                    fmt::to_string(cell.observations.size()),
                                    fmt::to_string(cell.excluded)};
    for (const auto& summary : {cell.real, cell.user, cell.system}) AppendSummary(row, summary);
    row.push_back(Number(cell.fetched_bytes));
    AppendRatio(row, cell.against_first_place);
    AppendRatio(row, cell.against_first_arm);
    AppendNfs(row, cell.nfs);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json ComparisonJson(const CompareLog& log, const CompareReport& report) {
  const ComparePlan& plan = log.header.plan;
  Json cells = Json::array();
  for (const CompareCell& cell : report.cells) {
    Json trials = Json::array();
    Json outliers = Json::array();
    for (std::size_t i = 0; i < cell.observations.size(); ++i) {
      trials.push_back(cell.observations[i].trial.index);
      if (cell.outlier[i]) outliers.push_back(cell.observations[i].trial.index);
    }
    cells.push_back({{"start", CacheStartName(cell.start)},
                     {"arm", plan.arms[cell.arm].name},
                     {"place", plan.places[cell.place].name},
                     {"trials", trials},
                     {"outliers", outliers},
                     {"excluded", cell.excluded},
                     {"real_s", ToJson(cell.real)},
                     {"user_s", ToJson(cell.user)},
                     {"system_s", ToJson(cell.system)},
                     {"fetched_bytes", ToJson(cell.fetched_bytes)},
                     {"nfs", ToJson(cell.nfs)},
                     {"against_first_place", ToJson(cell.against_first_place)},
                     {"against_first_arm", ToJson(cell.against_first_arm)}});
  }
  Json excluded = Json::array();
  for (const CompareObservation& row : report.excluded) {
    excluded.push_back({{"trial", row.trial.index},
                        {"outcome", OutcomeName(row.row.outcome)},
                        {"reason", row.row.reason}});
  }
  return {{"plan", ToJson(plan)},
          {"truth", ToJson(log.header.truth)},
          {"environment", log.header.environment},
          {"warnings", log.header.warnings},
          {"planned", report.planned},
          {"observed", report.observed},
          {"cells", cells},
          {"excluded", excluded},
          {"conclusions", ConcludeComparison(plan, report)}};
}

}  // namespace mr::lab
