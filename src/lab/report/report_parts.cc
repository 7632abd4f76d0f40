#include "lab/report/report_parts.h"

#include <fmt/format.h>

namespace mr::lab {

std::string Number(double value) { return fmt::format("{}", value); }

std::string Number(const std::optional<double>& value) { return value ? Number(*value) : ""; }

void AppendSummaryColumns(std::vector<std::string>& header, const std::string& measure) {
  for (const char* part : {"median", "low", "high", "min", "max"}) {
    header.push_back(measure + "_" + part);
  }
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

void AppendRatioColumns(std::vector<std::string>& header, const std::string& measure) {
  for (const char* part : {"ratio", "ratio_low", "ratio_high", "adjusted_p"}) {
    header.push_back(measure + "_" + part);
  }
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

Json ToJson(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ToJson(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json ToJson(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  return {{"median", summary->median},
          {"interval", ToJson(summary->interval)},
          {"min", summary->min},
          {"max", summary->max}};
}

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

Json TrialsJson(const std::vector<Observation>& observations) {
  Json trials = Json::array();
  for (const Observation& row : observations) trials.push_back(row.trial.index);
  return trials;
}

Json OutliersJson(const std::vector<Observation>& observations, const std::vector<bool>& outlier) {
  Json trials = Json::array();
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (outlier[i]) trials.push_back(observations[i].trial.index);
  }
  return trials;
}

std::string ArmLines(const std::vector<Arm>& arms, const Json& environment) {
  std::string text;
  const Json& versions = environment.value("versions", Json::array());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    text += fmt::format("  arm      {}: {}\n", arms[i].name, arms[i].command);
    const std::string version = i < versions.size() ? versions[i].get<std::string>() : "";
    if (!version.empty()) text += fmt::format("           ({})\n", version);
  }
  return text;
}

}  // namespace mr::lab
