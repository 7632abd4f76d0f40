#include "lab/log/log.h"

namespace mr::lab {
namespace {

constexpr char kKind[] = "pairs";

// The log must not name arms or places that its plan does not have.
void CheckAgainstPlan(const Observation& row, const Plan& plan) {
  const int arms = static_cast<int>(plan.arms.size());
  const auto known = [&](int arm) { return arm >= 0 && arm < arms; };
  if (!known(row.trial.arm) || (row.trial.previous && !known(*row.trial.previous))) {
    throw RecordError("a trial of an arm that the plan does not have");
  }
  if (row.trial.block >= plan.blocks) throw RecordError("a trial beyond the schedule");
}

void AddLine(const Json& json, LogContents& contents, TrialNumbers& numbers) {
  if (IsEvent(json)) {
    contents.events.push_back(EventFromJson(json));
    return;
  }
  contents.observations.push_back(ObservationFromJson(json));
  const Observation& row = contents.observations.back();
  CheckAgainstPlan(row, contents.header.plan);
  numbers.Add(row.trial.index, row.attempt);
}

}  // namespace

LogContents ParseLog(const LogFile& file) {
  LogContents contents;
  contents.cut = file.cut;
  ReadLogLine(file.path, 1, [&] {
    CheckLogKind(file.header, kKind);
    contents.header = HeaderFromJson(file.header, PlanFromJson(file.header.at("plan")));
  });
  TrialNumbers numbers;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    ReadLogLine(file.path, i + 2, [&] { AddLine(file.lines[i], contents, numbers); });
  }
  return contents;
}

LogContents ReadLog(const std::string& path) { return ParseLog(ReadLogFile(path)); }

Json ToJson(const LogHeader& header) { return HeaderJson(kKind, header); }

}  // namespace mr::lab
