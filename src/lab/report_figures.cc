// Reports for programs: CSV and JSON, unrounded.
#include <fmt/format.h>

#include "lab/conclusion.h"
#include "lab/report.h"

namespace mr::lab {
namespace {

std::string Number(double value) { return fmt::format("{}", value); }

void AppendSummary(std::vector<std::string>& row, const std::optional<Summary>& summary) {
  if (!summary) {
    row.insert(row.end(), 5, "");
    return;
  }
  row.insert(row.end(),
             {Number(summary->median), Number(summary->interval.low),
              Number(summary->interval.high), Number(summary->min), Number(summary->max)});
}

void AppendCarryOver(std::vector<std::string>& row, const std::optional<CarryOver>& carry_over) {
  if (!carry_over) {
    row.insert(row.end(), 4, "");
    return;
  }
  const auto& interval = carry_over->interval;
  row.insert(row.end(), {Number(carry_over->ratio), interval ? Number(interval->low) : "",
                         interval ? Number(interval->high) : "", Number(carry_over->adjusted_p)});
}

Json ToJson(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json ToJson(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  return {{"median", summary->median},
          {"interval", ToJson(summary->interval)},
          {"min", summary->min},
          {"max", summary->max}};
}

Json ToJson(const std::optional<CarryOver>& carry_over) {
  if (!carry_over) return nullptr;
  return {
      {"blocks", carry_over->blocks},
      {"ratio", carry_over->ratio},
      {"range", ToJson(carry_over->range)},
      {"interval", carry_over->interval ? ToJson(*carry_over->interval) : Json(nullptr)},
      {"p", carry_over->p},
      {"adjusted_p", carry_over->adjusted_p},
      {"smallest_detectable",
       carry_over->smallest_detectable ? Json(*carry_over->smallest_detectable) : Json(nullptr)},
      {"effect", carry_over->effect}};
}

Json ToJson(const Plan& plan, const Cell& cell) {
  Json trials = Json::array();
  Json outliers = Json::array();
  for (std::size_t i = 0; i < cell.observations.size(); ++i) {
    trials.push_back(cell.observations[i].trial.index);
    if (cell.outlier[i]) outliers.push_back(cell.observations[i].trial.index);
  }
  return {{"first", cell.first ? Json(plan.arms[*cell.first].name) : Json(nullptr)},
          {"second", plan.arms[cell.second].name},
          {"trials", trials},
          {"outliers", outliers},
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
  for (const std::string measure : {"real_s", "user_s", "system_s", "disk_bytes"}) {
    for (const std::string part : {"median", "low", "high", "min", "max"}) {
      table.header.push_back(measure + "_" + part);
    }
  }
  for (const std::string measure : {"real", "disk"}) {
    for (const std::string part : {"ratio", "ratio_low", "ratio_high", "adjusted_p"}) {
      table.header.push_back(measure + "_" + part);
    }
  }
  const auto append = [&](const Cell& cell) {
    std::vector<std::string> row = {
        cell.first ? plan.arms[*cell.first].name : "", plan.arms[cell.second].name,
        fmt::to_string(cell.observations.size()), fmt::to_string(cell.excluded)};
    for (const auto& summary : {cell.real, cell.user, cell.system, cell.disk_bytes}) {
      AppendSummary(row, summary);
    }
    AppendCarryOver(row, cell.real_carry_over);
    AppendCarryOver(row, cell.bytes_carry_over);
    table.rows.push_back(std::move(row));
  };
  for (const Cell& cell : report.pairs) append(cell);
  for (const Cell& cell : report.lead_ins) append(cell);
  return table;
}

Json ReportJson(const LogContents& log, const Report& report) {
  const Plan& plan = log.header.plan;
  Json pairs = Json::array();
  for (const Cell& cell : report.pairs) pairs.push_back(ToJson(plan, cell));
  Json lead_ins = Json::array();
  for (const Cell& cell : report.lead_ins) lead_ins.push_back(ToJson(plan, cell));
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
