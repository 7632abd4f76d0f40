#include "lab/compare/log.h"

#include <fmt/format.h>

#include <set>

namespace mr::lab {
namespace {

constexpr char kKind[] = "compare";

Json OptionalToJson(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<std::uint64_t> OptionalFromJson(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Whole<std::uint64_t>(json);
}

CompareObservation ObservationOf(const Json& json, const ComparePlan& plan) {
  CompareObservation result;
  result.row = ObservationFromJson(json);
  const auto start = ParseCacheStart(json.at("start").get<std::string>());
  if (!start) throw RecordError(fmt::format("unknown value {}", json.at("start").dump()));
  result.trial = {.index = result.row.trial.index,
                  .block = result.row.trial.block,
                  .place = Whole<int>(json.at("place")),
                  .start = *start,
                  .arm = result.row.trial.arm};
  const auto within = [](int index, std::size_t size) {
    return index >= 0 && index < static_cast<int>(size);
  };
  if (!within(result.trial.place, plan.places.size()) ||
      !within(result.trial.arm, plan.arms.size())) {
    throw RecordError("a trial of an arm or a place that the plan does not have");
  }
  if (const Json& nfs = json.at("nfs"); !nfs.is_null()) {
    result.nfs.emplace();
    for (const auto& [name, value] : nfs.items()) (*result.nfs)[name] = Whole<std::int64_t>(value);
  }
  result.backing_before_pages = OptionalFromJson(json.at("backing_before_pages"));
  result.backing_after_pages = OptionalFromJson(json.at("backing_after_pages"));
  return result;
}

void AddLine(const Json& json, CompareLog& log, TrialNumbers& numbers) {
  if (IsEvent(json)) {
    log.events.push_back(EventFromJson(json));
    return;
  }
  log.observations.push_back(ObservationOf(json, log.header.plan));
  const Observation& row = log.observations.back().row;
  if (row.trial.block >= log.header.plan.blocks) throw RecordError("a trial beyond the schedule");
  numbers.Add(row.trial.index, row.attempt);
}

}  // namespace

double CompareObservation::fetched_bytes() const {
  if (nfs) return static_cast<double>(os::Find(*nfs, "server_read_bytes").value_or(0));
  return static_cast<double>(row.disk_bytes());
}

CompareLog ParseCompareLog(const LogFile& file) {
  CompareLog log;
  log.cut = file.cut;
  ReadLogLine(file.path, 1, [&] {
    CheckLogKind(file.header, kKind);
    log.header = HeaderFromJson(file.header, ComparePlanFromJson(file.header.at("plan")));
  });
  TrialNumbers numbers;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    ReadLogLine(file.path, i + 2, [&] { AddLine(file.lines[i], log, numbers); });
  }
  return log;
}

std::vector<CompareTrial> RemainingTrials(const std::vector<CompareTrial>& schedule,
                                          const std::vector<CompareObservation>& observations) {
  std::set<int> done;
  for (const CompareObservation& observation : observations) done.insert(observation.trial.index);
  std::vector<CompareTrial> remaining;
  for (const CompareTrial& trial : schedule) {
    if (!done.contains(trial.index)) remaining.push_back(trial);
  }
  return remaining;
}

Json ToJson(const CompareHeader& header) { return HeaderJson(kKind, header); }

Json ToJson(const CompareObservation& observation, const ComparePlan& plan) {
  Json json = {{"place", observation.trial.place},
               {"place_name", plan.places[observation.trial.place].name},
               {"start", CacheStartName(observation.trial.start)}};
  json.update(ToJson(observation.row));
  Json nfs = nullptr;
  if (observation.nfs) {
    nfs = Json::object();
    for (const auto& [name, value] : *observation.nfs) {
      if (value != 0) nfs[name] = value;
    }
  }
  json["nfs"] = nfs;
  json["backing_before_pages"] = OptionalToJson(observation.backing_before_pages);
  json["backing_after_pages"] = OptionalToJson(observation.backing_after_pages);
  return json;
}

}  // namespace mr::lab
