// mrbench compare: the same searches of the same data on several file systems.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/mrbench/commands.h"
#include "app/mrbench/compare_options.h"
#include "app/mrbench/log.h"
#include "app/mrbench/search.h"
#include "io/size.h"
#include "lab/compare/analysis.h"
#include "lab/compare/copies.h"
#include "lab/compare/log.h"
#include "lab/compare/report.h"
#include "lab/compare/run.h"
#include "lab/compare/stage.h"
#include "lab/plan/arm.h"
#include "lab/report/progress.h"
#include "lab/trial/environment.h"
#include "lab/trial/trial.h"
#include "os/error.h"
#include "os/machine.h"

namespace mr::app {
namespace {

// What both a new and a resumed run need before the first trial.
struct ComparisonReadiness {
  std::vector<std::vector<std::vector<std::string>>> commands;  // by place and arm
  lab::Json environment;
  std::vector<std::string> warnings;
};

// Verified copies at every place, and that what is said to be behind a place is.
void PlaceCopies(const lab::ComparePlan& plan, const lab::DataInventory& inventory) {
  for (const lab::ComparePlace& place : plan.places) {
    if (lab::PlaceCopy(plan.source, inventory, place.data) == lab::CopyOutcome::kCopied) {
      Say(fmt::format("{}: copied to {} and verified", place.name, place.data));
    }
    if (place.backing.empty()) continue;
    const std::string behind = lab::FilePaths(inventory, place.backing).front();
    if (!lab::IsServedFrom(lab::FilePaths(inventory, place.data).front(), behind)) {
      throw os::IoError(behind, "reading it at " + place.name +
                                    " leaves nothing of it in this machine's cache: that place is "
                                    "not served from here");
    }
  }
}

ComparisonReadiness GetReady(const lab::ComparePlan& plan) {
  ComparisonReadiness ready;
  std::optional<lab::Surroundings> first;
  lab::Json places = lab::Json::array();
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const lab::Plan at = lab::PlanAt(plan, static_cast<int>(i));
    std::vector<std::string> programs;
    std::vector<std::vector<std::string>> commands;
    for (const lab::Arm& arm : plan.arms) {
      commands.push_back(lab::ExpandCommand(arm, at.pattern, at.file));
      programs.push_back(lab::CheckProgram(arm, commands.back()));
    }
    ready.commands.push_back(std::move(commands));
    const lab::Surroundings surroundings = lab::DescribeSurroundings(at, programs);
    places.push_back(lab::ToJson(surroundings).at("file_system"));
    if (!first) first = surroundings;
  }
  const lab::Json all = lab::ToJson(*first);
  ready.environment = {{"machine", all.at("machine")},
                       {"programs", all.at("programs")},
                       {"versions", all.at("versions")},
                       {"places", places}};
  ready.warnings = lab::FindWarnings(lab::PlanAt(plan, 0), *first, false);
  if (plan.data_bytes > first->machine.memory_bytes / 2) {
    ready.warnings.push_back(fmt::format(
        "the data ({}) is more than half of the memory ({}): warm starts may not be reached",
        io::FormatSize(plan.data_bytes), io::FormatSize(first->machine.memory_bytes)));
  }
  return ready;
}

int ReportComparison(const std::string& log_path, lab::ReportFormat format) {
  return lab::NamingLog(log_path, [&] {
    const lab::CompareLog log = lab::ParseCompareLog(lab::ReadLogFile(log_path));
    const lab::CompareReport report = lab::AnalyzeComparison(log.header.plan, log.observations);
    PrintOut(lab::FormatComparison(format, log, report));
    return report.excluded.empty() ? 0 : kSomeTrialsFailed;
  });
}

std::string Title(const lab::ComparePlan& plan, const lab::CompareTrial& trial) {
  return fmt::format("{} {} at {}", lab::CacheStartName(trial.start), plan.arms[trial.arm].name,
                     plan.places[trial.place].name);
}

void RunTrials(const lab::ComparePlan& plan, const std::vector<lab::CompareTrial>& trials,
               lab::CompareRunner& runner, lab::ProgressWatcher& watcher, lab::LogWriter& log) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const char* const erase = terminal ? "\r\x1b[K" : "";
  for (std::size_t done = 0; done < trials.size(); ++done) {
    const lab::CompareTrial& trial = trials[done];
    try {
      if (const int signal = watcher.StopSignal()) throw lab::Interrupted(signal);
      if (terminal) {
        fmt::print(stderr, "{}trial {} of {}: {}", erase, done + 1, trials.size(),
                   Title(plan, trial));
        std::fflush(stderr);
      }
      const lab::CompareObservation observation = runner.Run(trial);
      log.Append(lab::ToJson(observation, plan));
      if (observation.row.outcome != lab::Outcome::kOk) {
        fmt::print(stderr, "{}mrbench: trial {} ({}): {}: {}\n", erase, trial.index + 1,
                   Title(plan, trial), lab::OutcomeName(observation.row.outcome),
                   observation.row.reason);
      }
    } catch (const lab::Interrupted& interruption) {
      log.Append(lab::ToJson(lab::LogEvent{
          .name = "interrupted",
          .time = lab::UtcNow(),
          .text = fmt::format("signal {} at trial {}", interruption.signal(), trial.index + 1)}));
      throw;
    }
  }
  fmt::print(stderr, "{}", erase);
  log.Append(lab::ToJson(lab::LogEvent{.name = "finished", .time = lab::UtcNow(), .text = ""}));
}

int RunAll(const CLI::App& command, const lab::ComparePlan& plan,
           const std::vector<lab::CompareTrial>& trials, lab::CompareRunner& runner,
           lab::ProgressWatcher& watcher, lab::LogWriter& log, lab::ReportFormat format) {
  return RunAndReport(
      command, log, [&] { RunTrials(plan, trials, runner, watcher, log); },
      [&] { return ReportComparison(log.path(), format); });
}

int RunNew(const CLI::App& command, const CompareOptions& options, lab::ReportFormat format) {
  lab::ComparePlan plan = MakePlan(options);
  const lab::DataInventory inventory = lab::TakeInventory(plan.source);
  DescribeData(inventory, plan);
  lab::LogWriter log = lab::LogWriter::Create(NewLogName(command, options.log));
  PlaceCopies(plan, inventory);
  const ComparisonReadiness ready = GetReady(plan);
  const lab::Plan at_first = lab::PlanAt(plan, 0);
  lab::ProgressWatcher watcher(at_first, stderr);
  lab::CompareRunner runner(plan, inventory, ready.commands);
  const lab::Truth truth = FindTruth(options.search, plan.counting, plan.source, plan.pattern,
                                     plan.arms.front().name, [&] { return runner.CountOnce(); });
  runner.Expect(truth);
  for (const std::string& warning : ready.warnings) Say("mind: " + warning);
  log.Append(lab::ToJson(lab::CompareHeader{.plan = plan,
                                            .truth = truth,
                                            .started = lab::UtcNow(),
                                            .environment = ready.environment,
                                            .warnings = ready.warnings}));
  return RunAll(command, plan, lab::MakeCompareSchedule(plan), runner, watcher, log, format);
}

int ResumeComparison(const CLI::App& command, const std::string& path, lab::ReportFormat format) {
  auto [log, file] = lab::LogWriter::Continue(path);
  const lab::CompareLog contents = lab::ParseCompareLog(file);
  const lab::ComparePlan& plan = contents.header.plan;
  if (contents.cut) Say(path + ": the last line was cut and is dropped");
  const std::vector<lab::CompareTrial> remaining =
      lab::RemainingTrials(lab::MakeCompareSchedule(plan), contents.observations);
  if (remaining.empty()) {
    Say(path + ": nothing is left to do");
    return ReportComparison(path, format);
  }
  const lab::DataInventory inventory = lab::TakeInventory(plan.source);
  if (inventory.checksum() != plan.checksum) {
    throw os::IoError(plan.source, "has changed since the comparison was begun");
  }
  PlaceCopies(plan, inventory);
  const ComparisonReadiness ready = GetReady(plan);
  const lab::Plan at_first = lab::PlanAt(plan, 0);
  lab::ProgressWatcher watcher(at_first, stderr);
  lab::CompareRunner runner(plan, inventory, ready.commands);
  runner.Expect(contents.header.truth);
  std::string text = fmt::format("from trial {}", remaining.front().index + 1);
  for (const char* part : {"machine", "programs", "versions", "places"}) {
    // Free space changes all the time; it is not what a search depends on.
    lab::Json before = contents.header.environment.value(part, lab::Json());
    lab::Json now = ready.environment.at(part);
    for (lab::Json* json : {&before, &now}) {
      if (json->is_array()) {
        for (lab::Json& entry : *json) {
          if (entry.is_object()) entry.erase("free_bytes");
        }
      }
    }
    if (before != now) text += fmt::format("; changed since the start: {}", part);
  }
  Say("resuming " + text);
  log.Append(lab::ToJson(lab::LogEvent{.name = "resumed", .time = lab::UtcNow(), .text = text}));
  return RunAll(command, plan, remaining, runner, watcher, log, format);
}

int Compare(const CLI::App& command, const CompareOptions& options) {
  return RunLogCommand(
      command, options.log, options.dry_run,
      {.report = ReportComparison,
       .resume = [&](const std::string& log,
                     lab::ReportFormat format) { return ResumeComparison(command, log, format); },
       .schedule =
           [&] {
             const lab::ComparePlan plan = MakePlan(options);
             return lab::DescribeSchedule(plan, lab::MakeCompareSchedule(plan));
           },
       .run = [&](lab::ReportFormat format) { return RunNew(command, options, format); }});
}

}  // namespace

void AddCompareCommand(CLI::App& root, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = root.add_subcommand(
      "compare", "Run the same searches of the same data on several file systems");
  DeclareOptions(*command, *options);
  command->callback([options, command, &action] {
    action = [options, command] { return Compare(*command, *options); };
  });
}

}  // namespace mr::app
