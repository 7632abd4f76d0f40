#include "app/mrbench_study.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/mrbench_commands.h"
#include "lab/gnuplot.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {
namespace {

constexpr int kSomeTrialsFailed = 1;
constexpr int kFirstSignalStatus = 128;

void Say(const std::string& sentence) { fmt::print(stderr, "mrbench: {}\n", sentence); }

void CheckFormat(const StudyOptions& options) {
  const auto& format = options.format;
  if (format != "text" && format != "csv" && format != "json") {
    throw UsageError(fmt::format("--format '{}': not text, csv or json", format));
  }
  if (options.figure_format != "svg" && options.figure_format != "png") {
    throw UsageError(fmt::format("--figure-format '{}': not svg or png", options.figure_format));
  }
}

// A log holds its plan: an option that says otherwise would be passed over in silence.
void CheckNothingElse(const CLI::App& command, const StudyKind& kind) {
  std::vector<std::string> allowed = {"--from", "--resume", "--format", "--figures",
                                      "--figure-format"};
  allowed.insert(allowed.end(), kind.report_options.begin(), kind.report_options.end());
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const bool fits = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& name) {
      return option->check_name(name);
    });
    if (!fits) {
      throw UsageError(fmt::format(
          "a log holds its own plan: {} does not go with --from or --resume", option->get_name()));
    }
  }
}

std::string DefaultLogName(const std::string& study) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return fmt::format("mrbench-{}-{}.jsonl", study, text);
}

int Report(const StudyKind& kind, const StudyOptions& options, const lab::StudyLog& log) {
  const lab::StudyReport report = kind.report(log);
  if (options.format == "csv") {
    PrintOut(ToCsv(report.table));
  } else if (options.format == "json") {
    PrintOut(report.json.dump(2, ' ', false, lab::Json::error_handler_t::replace) + "\n");
  } else {
    PrintOut(report.text);
  }
  if (!options.figures.empty()) DrawFigures(report.figures, options.figures, options.figure_format);
  kind.also(log);
  return lab::CountFailures(log) == 0 ? 0 : kSomeTrialsFailed;
}

int RunAndReport(const StudyKind& kind, const StudyOptions& options, lab::Study& study,
                 const lab::StudyLog& so_far, lab::LogWriter& writer) {
  const std::string hint = fmt::format("mrbench {} --resume {}", kind.name, writer.path());
  int signal = 0;
  try {
    signal = lab::RunStudy(study, so_far.header, so_far.rows, writer);
  } catch (...) {
    Say("what was recorded is safe; go on with: " + hint);
    throw;
  }
  if (signal != 0) {
    Say("interrupted; go on with: " + hint);
    return kFirstSignalStatus + signal;
  }
  const int status = Report(kind, options, lab::ReadStudyLog(writer.path(), kind.name));
  Say("log: " + writer.path());
  return status;
}

int RunNew(const StudyKind& kind, const StudyOptions& options) {
  if (options.rounds < 1) throw UsageError("--rounds: at least one is needed");
  lab::StudyLog log;
  log.header.plan = kind.plan();
  const std::unique_ptr<lab::Study> study = kind.make(log.header.plan);
  log.header.study = kind.name;
  log.header.started = lab::UtcNow();
  log.header.rounds = options.rounds;
  log.header.seed = options.seed;
  log.header.cells = study->Cells();
  log.header.environment = lab::DescribePlace(kind.place(log.header.plan));
  lab::LogWriter writer =
      lab::LogWriter::Create(options.log.empty() ? DefaultLogName(kind.name) : options.log);
  writer.Append(ToJson(log.header));
  return RunAndReport(kind, options, *study, log, writer);
}

int Resume(const StudyKind& kind, const StudyOptions& options) {
  auto [writer, file] = lab::LogWriter::Continue(options.resume);
  const lab::StudyLog log = lab::ParseStudyLog(file, kind.name);
  if (log.cut) Say(options.resume + ": the last line was cut and is dropped");
  const std::unique_ptr<lab::Study> study = kind.make(log.header.plan);
  if (study->Cells() != log.header.cells) {
    throw os::IoError(options.resume, "this version measures other cells: start anew");
  }
  writer.Append({{"event", "resumed"}, {"time", lab::UtcNow()}, {"text", ""}});
  return RunAndReport(kind, options, *study, log, writer);
}

}  // namespace

void DeclareStudyOptions(CLI::App& command, StudyOptions& options) {
  command.add_option("--rounds", options.rounds, "how often every cell is measured")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the order of the trials")->capture_default_str();
  command.add_option("--log", options.log,
                     fmt::format("the new log (default: mrbench-{}-TIME.jsonl in this directory)",
                                 command.get_name()));
  command.add_option("--resume", options.resume, "LOG of an interrupted run to go on with");
  command.add_option("--from", options.from, "LOG to report on, without running anything");
  command.add_option("--format", options.format, "of the report: text, csv, json")
      ->capture_default_str();
  command.add_option("--figures", options.figures, "DIRECTORY to draw figures into, with gnuplot");
  command.add_option("--figure-format", options.figure_format, "svg or png")->capture_default_str();
}

int RunStudyCommand(const CLI::App& command, const StudyKind& kind, const StudyOptions& options) {
  CheckFormat(options);
  if (!options.from.empty() || !options.resume.empty()) {
    if (!options.from.empty() && !options.resume.empty()) {
      throw UsageError("--from and --resume: one or the other");
    }
    CheckNothingElse(command, kind);
    if (options.from.empty()) return Resume(kind, options);
    return Report(kind, options, lab::ReadStudyLog(options.from, kind.name));
  }
  return RunNew(kind, options);
}

void PrintOut(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw os::IoError("standard output", errno);
  }
}

void WriteTextFile(const std::string& path, const std::string& text) {
  const os::Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file) throw os::IoError(path, errno);
  const int error = os::WriteAll(file.get(), text);
  if (error != 0) throw os::IoError(path, error);
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
