#include "app/mrbench/study.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "lab/log/log_header.h"
#include "lab/report/gnuplot.h"
#include "os/error.h"

namespace mr::app {
namespace {

void CheckFormat(const StudyOptions& options) {
  const auto& format = options.log.format;
  if (format != "text" && format != "csv" && format != "json") {
    throw UsageError(fmt::format("--format '{}': not text, csv or json", format));
  }
  CheckFigureFormat(options.figure_format);
}

int Report(const StudyKind& kind, const StudyOptions& options, const std::string& log_path) {
  const lab::StudyLog log = lab::ReadStudyLog(log_path, kind.name);
  const lab::StudyReport report = lab::NamingLog(log_path, [&] { return kind.report(log); });
  if (options.log.format == "csv") {
    PrintOut(ToCsv(report.table));
  } else if (options.log.format == "json") {
    PrintOut(report.json.dump(2, ' ', false, lab::Json::error_handler_t::replace) + "\n");
  } else {
    PrintOut(report.text);
  }
  if (!options.figures.empty()) DrawFigures(report.figures, options.figures, options.figure_format);
  kind.also(log);
  return lab::CountFailures(log) == 0 ? 0 : kSomeTrialsFailed;
}

int RunRounds(const CLI::App& command, const StudyKind& kind, const StudyOptions& options,
              lab::Study& study, const lab::StudyLog& so_far, lab::LogWriter& writer) {
  const auto run = [&] { lab::RunStudy(study, so_far.header, so_far.rows, writer); };
  return RunAndReport(command, writer, run, [&] { return Report(kind, options, writer.path()); });
}

int RunNew(const CLI::App& command, const StudyKind& kind, const StudyOptions& options) {
  lab::StudyLog log;
  log.header.plan = kind.plan();
  const std::unique_ptr<lab::Study> study = kind.make(log.header.plan);
  log.header.study = kind.name;
  log.header.started = lab::UtcNow();
  log.header.rounds = options.rounds;
  log.header.seed = options.seed;
  log.header.cells = study->Cells();
  CheckNumberOfTrials("--rounds", options.rounds, log.header.cells.size());
  log.header.environment = lab::DescribePlace(kind.place(log.header.plan));
  lab::LogWriter writer = lab::LogWriter::Create(NewLogName(command, options.log));
  writer.Append(ToJson(log.header));
  return RunRounds(command, kind, options, *study, log, writer);
}

int Resume(const CLI::App& command, const StudyKind& kind, const StudyOptions& options) {
  auto [writer, file] = lab::LogWriter::Continue(options.log.resume);
  const lab::StudyLog log = lab::ParseStudyLog(file, kind.name);
  if (log.cut) Say(options.log.resume + ": the last line was cut and is dropped");
  const std::unique_ptr<lab::Study> study =
      lab::NamingLog(options.log.resume, [&] { return kind.make(log.header.plan); });
  if (study->Cells() != log.header.cells) {
    throw os::IoError(options.log.resume, "this version measures other cells: start anew");
  }
  writer.Append(ToJson(lab::LogEvent{.name = "resumed", .time = lab::UtcNow(), .text = ""}));
  return RunRounds(command, kind, options, *study, log, writer);
}

}  // namespace

void DeclareStudyOptions(CLI::App& command, StudyOptions& options) {
  command.add_option("--rounds", options.rounds, "how often every cell is measured")
      ->transform(WholeNumber(1, kMostRepeats))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the order of the trials")
      ->transform(WholeNumber(0))
      ->capture_default_str();
  DeclareLogOptions(command, options.log, "text, csv, json");
  command.add_option("--figures", options.figures, "DIRECTORY to draw figures into, with gnuplot");
  command.add_option("--figure-format", options.figure_format, "svg or png")->capture_default_str();
}

int RunStudyCommand(const CLI::App& command, const StudyKind& kind, const StudyOptions& options) {
  CheckFormat(options);
  std::vector<std::string> allowed = kind.report_options;
  allowed.insert(allowed.end(), {"--figures", "--figure-format"});
  CheckNothingElse(command, options.log, std::move(allowed));
  if (!options.log.resume.empty()) return Resume(command, kind, options);
  if (options.log.from.empty()) return RunNew(command, kind, options);
  return Report(kind, options, options.log.from);
}

void CheckFigureFormat(const std::string& format) {
  if (format != "svg" && format != "png") {
    throw UsageError(fmt::format("--figure-format '{}': not svg or png", format));
  }
}

void DrawFigures(const std::vector<lab::StudyFigure>& figures, const std::string& directory,
                 const std::string& format) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw os::IoError(directory, error.value());
  for (const lab::StudyFigure& figure : figures) {
    if (figure.script.empty()) continue;
    lab::DrawFigure(figure.script, fmt::format("{}/{}.{}", directory, figure.name, format));
  }
}

}  // namespace mr::app
