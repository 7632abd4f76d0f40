#include "lab/log.h"

#include <fmt/format.h>

namespace mr::lab {
namespace {

constexpr int kFormat = 1;

LogHeader HeaderFromJson(const Json& json) {
  if (json.at("mrbench") != "pairs") throw RecordError("not a log of mrbench pairs");
  if (json.at("format") != kFormat) {
    throw RecordError(
        fmt::format("log format {} is not known to this version", json.at("format").dump()));
  }
  return {.plan = PlanFromJson(json.at("plan")),
          .truth = TruthFromJson(json.at("truth")),
          .started = json.at("started").get<std::string>(),
          .environment = json.at("environment"),
          .warnings = json.at("warnings").get<std::vector<std::string>>()};
}

// The log must not name arms or places that its plan does not have.
void CheckAgainstPlan(const Observation& row, const Plan& plan) {
  const int arms = static_cast<int>(plan.arms.size());
  const auto known = [&](int arm) { return arm >= 0 && arm < arms; };
  if (!known(row.trial.arm) || (row.trial.previous && !known(*row.trial.previous))) {
    throw RecordError("a trial of an arm that the plan does not have");
  }
}

void AddLine(const Json& json, LogContents& contents) {
  if (json.contains("event")) {
    contents.events.push_back({.name = json.at("event").get<std::string>(),
                               .time = json.at("time").get<std::string>(),
                               .text = json.at("text").get<std::string>()});
    return;
  }
  contents.observations.push_back(ObservationFromJson(json));
  CheckAgainstPlan(contents.observations.back(), contents.header.plan);
}

}  // namespace

LogContents ParseLog(const LogFile& file) {
  LogContents contents;
  contents.cut = file.cut;
  ReadLogLine(file.path, 1, [&] { contents.header = HeaderFromJson(file.header); });
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    ReadLogLine(file.path, i + 2, [&] { AddLine(file.lines[i], contents); });
  }
  return contents;
}

LogContents ReadLog(const std::string& path) { return ParseLog(ReadLogFile(path)); }

Json ToJson(const LogHeader& header) {
  return {{"mrbench", "pairs"},
          {"format", kFormat},
          {"version", MRGREP_VERSION},
          {"started", header.started},
          {"plan", ToJson(header.plan)},
          {"truth", ToJson(header.truth)},
          {"environment", header.environment},
          {"warnings", header.warnings}};
}

Json ToJson(const LogEvent& event) {
  return {{"event", event.name}, {"time", event.time}, {"text", event.text}};
}

}  // namespace mr::lab
