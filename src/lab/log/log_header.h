// What the logs of experiments over arms begin with, and what they hold besides trials.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/log/record.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// Of the logs that this version writes and knows.
inline constexpr int kLogFormat = 1;

template <typename PlanType>
struct ExperimentHeader {
  PlanType plan;
  Truth truth;
  std::string started;  // UTC
  Json environment;     // machine, file systems, programs: read by people and by reports
  std::vector<std::string> warnings;  // what makes the run less trustworthy
};

// A thing that happened between trials.
struct LogEvent {
  std::string name;  // "resumed", "interrupted", "finished"
  std::string time;  // UTC
  std::string text;
};

// Throws RecordError unless `json` begins a log of `kind` in the format that this version knows.
void CheckLogKind(const Json& json, const char* kind);

// The members of every header but the plan and what depends on it.
Json HeaderJson(const char* kind, Json plan, const Truth& truth, const std::string& started,
                const Json& environment, const std::vector<std::string>& warnings);

template <typename PlanType>
Json HeaderJson(const char* kind, const ExperimentHeader<PlanType>& header) {
  return HeaderJson(kind, ToJson(header.plan), header.truth, header.started, header.environment,
                    header.warnings);
}

template <typename PlanType>
ExperimentHeader<PlanType> HeaderFromJson(const Json& json, PlanType plan) {
  return {.plan = std::move(plan),
          .truth = TruthFromJson(json.at("truth")),
          .started = json.at("started").get<std::string>(),
          .environment = json.at("environment"),
          .warnings = json.at("warnings").get<std::vector<std::string>>()};
}

bool IsEvent(const Json& line);
LogEvent EventFromJson(const Json& line);
Json ToJson(const LogEvent& event);

}  // namespace mr::lab
