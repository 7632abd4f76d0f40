// mrbench pairs: run an experiment, go on with one, or report on its log.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/mrbench/commands.h"
#include "app/mrbench/log.h"
#include "app/mrbench/pairs_options.h"
#include "app/mrbench/search.h"
#include "lab/analysis/analysis.h"
#include "lab/log/log.h"
#include "lab/plan/arm.h"
#include "lab/plan/schedule.h"
#include "lab/report/progress.h"
#include "lab/report/report.h"
#include "lab/trial/environment.h"
#include "lab/trial/experiment.h"
#include "lab/trial/stage.h"
#include "lab/trial/trial.h"
#include "os/error.h"
#include "os/page_cache.h"

namespace mr::app {
namespace {

// What both a new and a resumed run need to have ready before the first trial.
struct PairsReadiness {
  std::vector<std::vector<std::string>> commands;
  lab::Surroundings surroundings;
};

PairsReadiness GetReady(const lab::Plan& plan) {
  PairsReadiness ready;
  std::vector<std::string> programs;
  for (const lab::Arm& arm : plan.arms) {
    ready.commands.push_back(lab::ExpandCommand(arm, plan.pattern, plan.file));
    programs.push_back(lab::CheckProgram(arm, ready.commands.back()));
  }
  const os::Residency residency = os::MeasureResidency(plan.file);
  if (!residency.resident_pages) {
    throw os::IoError(plan.file,
                      "cannot see how much of it is in the page cache, so no trial "
                      "could be verified (" +
                          residency.why_unknown + ")");
  }
  ready.surroundings = lab::DescribeSurroundings(plan, programs);
  return ready;
}

int ReportPairs(const std::string& log_path, lab::ReportFormat format) {
  return lab::NamingLog(log_path, [&] {
    const lab::LogContents log = lab::ReadLog(log_path);
    const lab::Report report = lab::Analyze(log.header.plan, log.observations);
    PrintOut(lab::FormatReport(format, log, report));
    return report.excluded.empty() ? 0 : kSomeTrialsFailed;
  });
}

int RunTrials(const CLI::App& command, const std::vector<lab::PlannedTrial>& trials,
              lab::TrialRunner& runner, lab::ProgressWatcher& watcher, lab::LogWriter& log,
              lab::ReportFormat format) {
  return RunAndReport(
      command, log, [&] { lab::RunExperiment(trials, runner, log, watcher); },
      [&] { return ReportPairs(log.path(), format); });
}

std::vector<lab::PlannedTrial> WholeSchedule(const lab::Plan& plan) {
  return lab::RemainingTrials(lab::MakeSchedule(plan), {});
}

int RunNew(const CLI::App& command, const PairsOptions& options, lab::ReportFormat format) {
  const lab::Plan plan = MakePlan(options);
  const PairsReadiness ready = GetReady(plan);
  lab::ProgressWatcher watcher(plan, stderr);
  lab::LogWriter log = lab::LogWriter::Create(NewLogName(command, options.log));
  const std::unique_ptr<lab::Stage> stage = lab::MakeStage(plan);
  lab::TrialRunner runner(plan, ready.commands, *stage);
  const lab::Truth truth = FindTruth(options.search, plan.counting, plan.file, plan.pattern,
                                     plan.arms.front().name, [&] { return runner.CountOnce(0); });
  runner.Expect(truth);
  lab::LogHeader header{
      .plan = plan,
      .truth = truth,
      .started = lab::UtcNow(),
      .environment = lab::ToJson(ready.surroundings),
      .warnings = lab::FindWarnings(plan, ready.surroundings, stage->LimitsSwap())};
  for (const std::string& warning : header.warnings) Say("mind: " + warning);
  log.Append(lab::ToJson(header));
  return RunTrials(command, WholeSchedule(plan), runner, watcher, log, format);
}

// What differs from the surroundings in the log's header, for the log and the user.
std::string DescribeChanges(const lab::Json& before, const lab::Json& now) {
  std::string changes;
  const auto compare = [&](const char* part, const char* name) {
    const lab::Json& old_part = before.value(part, lab::Json::object());
    if (old_part.value(name, lab::Json()) != now.at(part).value(name, lab::Json())) {
      changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", part, name);
    }
  };
  for (const char* name : {"host", "kernel", "cpus", "memory_bytes"}) compare("machine", name);
  for (const char* name : {"type", "mount_options", "read_ahead_kib"}) compare("file_system", name);
  for (const char* name : {"programs", "versions"}) {
    if (before.value(name, lab::Json()) != now.at(name)) {
      changes += fmt::format("{}{}", changes.empty() ? "" : ", ", name);
    }
  }
  return changes.empty() ? "" : "changed since the start: " + changes;
}

int ResumePairs(const CLI::App& command, const std::string& path, lab::ReportFormat format) {
  auto [log, file] = lab::LogWriter::Continue(path);
  const lab::LogContents contents = lab::ParseLog(file);
  const lab::Plan& plan = contents.header.plan;
  if (contents.cut) Say(path + ": the last line was cut and is dropped");
  const std::vector<lab::PlannedTrial> remaining =
      lab::RemainingTrials(lab::MakeSchedule(plan), contents.observations);
  if (remaining.empty()) {
    Say(path + ": nothing is left to do");
    return ReportPairs(path, format);
  }
  const PairsReadiness ready = GetReady(plan);
  lab::ProgressWatcher watcher(plan, stderr);
  const std::unique_ptr<lab::Stage> stage = lab::MakeStage(plan);
  lab::TrialRunner runner(plan, ready.commands, *stage);
  runner.Expect(contents.header.truth);
  const lab::Trial& first = remaining.front().trial;
  std::string text = fmt::format("from trial {}, block {}", first.index + 1, first.block + 1);
  if (remaining.front().attempt > 1) text += ", which is run again from the start of its unit";
  const std::string changes =
      DescribeChanges(contents.header.environment, lab::ToJson(ready.surroundings));
  if (!changes.empty()) text += "; " + changes;
  Say("resuming " + text);
  log.Append(lab::ToJson(lab::LogEvent{.name = "resumed", .time = lab::UtcNow(), .text = text}));
  return RunTrials(command, remaining, runner, watcher, log, format);
}

int Pairs(const CLI::App& command, const PairsOptions& options) {
  return RunLogCommand(
      command, options.log, options.dry_run,
      {.report = ReportPairs,
       .resume = [&](const std::string& log,
                     lab::ReportFormat format) { return ResumePairs(command, log, format); },
       .schedule =
           [&] {
             const lab::Plan plan = MakePlan(options);
             return lab::DescribeSchedule(plan, lab::MakeSchedule(plan));
           },
       .run = [&](lab::ReportFormat format) { return RunNew(command, options, format); }});
}

}  // namespace

void AddPairsCommand(CLI::App& root, Action& action) {
  auto options = std::make_shared<PairsOptions>();
  CLI::App* command = root.add_subcommand(
      "pairs", "Run commands in ordered pairs and show what each leaves to the next");
  DeclareOptions(*command, *options);
  command->callback([options, command, &action] {
    action = [options, command] { return Pairs(*command, *options); };
  });
}

}  // namespace mr::app
