// Reports for programs: CSV and JSON, unrounded.
#include <fmt/format.h>

#include "lab/analysis/conclusion.h"
#include "lab/report/report.h"
#include "lab/report/report_parts.h"

namespace mr::lab {
namespace {

Json CellJson(const Plan& plan, const Cell& cell) {
  return {{"first", cell.first ? Json(plan.arms[*cell.first].name) : Json(nullptr)},
          {"second", plan.arms[cell.second].name},
          {"trials", TrialsJson(cell.observations)},
          {"outliers", OutliersJson(cell.observations, cell.outlier)},
          {"excluded", cell.excluded},
          {"real_s", ToJson(cell.real)},
          {"user_s", ToJson(cell.user)},
          {"system_s", ToJson(cell.system)},
          {"disk_bytes", ToJson(cell.disk_bytes)},
          {"real_carry_over", ToJson(cell.real_carry_over)},
          {"bytes_carry_over", ToJson(cell.bytes_carry_over)}};
}

}  // namespace

Table FigureTable(const Plan& plan, const Report& report) {
  Table table{.header = {"first", "second", "n", "excluded"}, .rows = {}, .word_columns = 2};
  for (const char* measure : {"real_s", "user_s", "system_s", "disk_bytes"}) {
    AppendSummaryColumns(table.header, measure);
  }
  for (const char* measure : {"real", "disk"}) AppendRatioColumns(table.header, measure);
  const auto append = [&](const Cell& cell) {
    std::vector<std::string> row = {
        cell.first ? plan.arms[*cell.first].name : "", plan.arms[cell.second].name,
        fmt::to_string(cell.observations.size()), fmt::to_string(cell.excluded)};
    for (const auto& summary : {cell.real, cell.user, cell.system, cell.disk_bytes}) {
      AppendSummary(row, summary);
    }
    AppendRatio(row, cell.real_carry_over);
    AppendRatio(row, cell.bytes_carry_over);
    table.rows.push_back(std::move(row));
  };
  for (const Cell& cell : report.pairs) append(cell);
  for (const Cell& cell : report.lead_ins) append(cell);
  return table;
}

Json ReportJson(const LogContents& log, const Report& report) {
  const Plan& plan = log.header.plan;
  Json pairs = Json::array();
  for (const Cell& cell : report.pairs) pairs.push_back(CellJson(plan, cell));
  Json lead_ins = Json::array();
  for (const Cell& cell : report.lead_ins) lead_ins.push_back(CellJson(plan, cell));
  Json excluded = Json::array();
  for (const Observation& row : report.excluded) {
    excluded.push_back({{"trial", row.trial.index},
                        {"outcome", OutcomeName(row.outcome)},
                        {"reason", row.reason}});
  }
  return {{"plan", ToJson(plan)},
          {"truth", ToJson(log.header.truth)},
          {"environment", log.header.environment},
          {"warnings", log.header.warnings},
          {"planned", report.planned},
          {"observed", report.observed},
          {"superseded", report.superseded},
          {"pairs", pairs},
          {"lead_ins", lead_ins},
          {"excluded", excluded},
          {"conclusions", Conclude(plan, report)}};
}

}  // namespace mr::lab
