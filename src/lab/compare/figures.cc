// Reports of comparisons for programs: CSV and JSON, unrounded.
#include <fmt/format.h>

#include "lab/compare/report.h"
#include "lab/report/report_parts.h"

namespace mr::lab {
namespace {

Json NfsJson(const std::optional<NfsSummary>& nfs) {
  if (!nfs) return nullptr;
  return {
      {"read_calls", nfs->read_calls},           {"server_read_bytes", nfs->server_read_bytes},
      {"read_rtt_ms", ToJson(nfs->read_rtt_ms)}, {"read_execute_ms", ToJson(nfs->read_execute_ms)},
      {"other_calls", nfs->other_calls},         {"resent", nfs->resent}};
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
  for (const char* measure : {"real_s", "user_s", "system_s"}) {
    AppendSummaryColumns(table.header, measure);
  }
  table.header.emplace_back("fetched_bytes");
  for (const char* against : {"first_place", "first_arm"}) {
    AppendRatioColumns(table.header, against);
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
    cells.push_back({{"start", CacheStartName(cell.start)},
                     {"arm", plan.arms[cell.arm].name},
                     {"place", plan.places[cell.place].name},
                     {"trials", TrialsJson(cell.observations)},
                     {"outliers", OutliersJson(cell.observations, cell.outlier)},
                     {"excluded", cell.excluded},
                     {"real_s", ToJson(cell.real)},
                     {"user_s", ToJson(cell.user)},
                     {"system_s", ToJson(cell.system)},
                     {"fetched_bytes", ToJson(cell.fetched_bytes)},
                     {"nfs", NfsJson(cell.nfs)},
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
