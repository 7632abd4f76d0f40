#include "app/mrbench/log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>

#include "app/mrbench/commands.h"
#include "lab/trial/trial.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {

void DeclareLogOptions(CLI::App& command, LogOptions& options, const std::string& formats) {
  command.add_option("--log", options.log,
                     fmt::format("the new log (default: mrbench-{}-TIME.jsonl in this directory)",
                                 command.get_name()));
  command.add_option("--resume", options.resume, "LOG of an interrupted run to go on with");
  command.add_option("--from", options.from, "LOG to report on, without running anything");
  command.add_option("--format", options.format, "of the report: " + formats)
      ->capture_default_str();
}

void CheckNothingElse(const CLI::App& command, const LogOptions& options,
                      std::vector<std::string> allowed) {
  if (!options.given()) return;
  if (!options.from.empty() && !options.resume.empty()) {
    throw UsageError("--from and --resume: one or the other");
  }
  allowed.insert(allowed.end(), {"--from", "--resume", "--format"});
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

lab::ReportFormat FormatOf(const std::string& name) {
  const std::optional<lab::ReportFormat> format = lab::ParseReportFormat(name);
  if (!format) {
    throw UsageError(fmt::format("--format '{}': not text, markdown, csv or json", name));
  }
  return *format;
}

std::string NewLogName(const CLI::App& command, const LogOptions& options) {
  if (!options.log.empty()) return options.log;
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  // Several runs may begin within a second.
  std::string name = fmt::format("mrbench-{}-{}.jsonl", command.get_name(), text);
  for (int number = 2; std::filesystem::exists(name); ++number) {
    name = fmt::format("mrbench-{}-{}-{}.jsonl", command.get_name(), text, number);
  }
  return name;
}

int RunAndReport(const CLI::App& command, const lab::LogWriter& log,
                 const std::function<void()>& run, const std::function<int()>& report) {
  const std::string hint = fmt::format("mrbench {} --resume {}", command.get_name(), log.path());
  try {
    run();
  } catch (const lab::Interrupted& interruption) {
    Say("interrupted; go on with: " + hint);
    return 128 + interruption.signal();
  } catch (...) {
    Say("what was recorded is safe; go on with: " + hint);
    throw;
  }
  const int status = report();
  Say("log: " + log.path());
  return status;
}

int RunLogCommand(const CLI::App& command, const LogOptions& options, bool dry_run,
                  const LogCommand& does) {
  const lab::ReportFormat format = FormatOf(options.format);
  CheckNothingElse(command, options);
  try {
    if (!options.from.empty()) return does.report(options.from, format);
    if (!options.resume.empty()) return does.resume(options.resume, format);
    if (!dry_run) return does.run(format);
  } catch (const lab::Interrupted& interruption) {
    Say("interrupted before the first trial");
    return 128 + interruption.signal();
  }
  PrintOut(does.schedule());
  return 0;
}

void Say(const std::string& sentence) { fmt::print(stderr, "mrbench: {}\n", sentence); }

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

}  // namespace mr::app
