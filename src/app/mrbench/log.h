// What the subcommands have in common that keep a log of their trials: run, go on, or report.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "lab/log/log_file.h"
#include "lab/report/report_format.h"

namespace mr::app {

// The exit status of a report in which some trial does not count.
inline constexpr int kSomeTrialsFailed = 1;

// As typed.
struct LogOptions {
  std::string log;
  std::string resume;
  std::string from;
  std::string format = "text";

  bool given() const { return !resume.empty() || !from.empty(); }
};

// `formats` are those of the report, as --help lists them.
void DeclareLogOptions(CLI::App& command, LogOptions& options, const std::string& formats);

// A log holds its plan: an option that says otherwise would be passed over in silence. Throws
// UsageError when --from or --resume come with another option than --format and `allowed`.
void CheckNothingElse(const CLI::App& command, const LogOptions& options,
                      std::vector<std::string> allowed = {});

// What --format says. Throws UsageError.
lab::ReportFormat FormatOf(const std::string& name);

// --log, or a name in this directory that tells the subcommand and the time, and is not taken.
std::string NewLogName(const CLI::App& command, const LogOptions& options);

// Runs trials, which end with lab::Interrupted when a signal stops them, and then reports on the
// log. Returns the exit status, 128 + signal when interrupted; says how to go on, also before it
// passes on what `run` throws.
int RunAndReport(const CLI::App& command, const lab::LogWriter& log,
                 const std::function<void()>& run, const std::function<int()>& report);

// What a subcommand does, by its options.
struct LogCommand {
  std::function<int(const std::string& log, lab::ReportFormat)> report;  // --from
  std::function<int(const std::string& log, lab::ReportFormat)> resume;  // --resume
  std::function<std::string()> schedule;                                 // --dry-run
  std::function<int(lab::ReportFormat)> run;                             // else
};

// Does what `options` and `dry_run` say. Returns the exit status; an interruption before the first
// trial is told here.
int RunLogCommand(const CLI::App& command, const LogOptions& options, bool dry_run,
                  const LogCommand& does);

// To the user, on standard error.
void Say(const std::string& sentence);

// Writes all of `text` to standard output. Throws os::IoError.
void PrintOut(const std::string& text);

// Creates or empties `path`. Throws os::IoError.
void WriteTextFile(const std::string& path, const std::string& text);

}  // namespace mr::app
