// What the commands of the three older studies have in common: run, go on, or report on a log.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/mrbench/log.h"
#include "lab/studies/study.h"

namespace mr::app {

struct StudyOptions {
  int rounds = 10;
  std::uint64_t seed = 1;
  LogOptions log;
  std::string figures;  // directory
  std::string figure_format = "svg";
};

void DeclareStudyOptions(CLI::App& command, StudyOptions& options);

// One of the studies. `name` is that of its subcommand.
struct StudyKind {
  std::string name;
  // The plan that the command line asks for. Throws UsageError and os::IoError.
  std::function<lab::Json()> plan;
  std::function<std::unique_ptr<lab::Study>(const lab::Json& plan)> make;
  // A path on the file system that is measured.
  std::function<std::string(const lab::Json& plan)> place;
  std::function<lab::StudyReport(const lab::StudyLog& log)> report;
  // Further files to write from a log, if any.
  std::function<void(const lab::StudyLog& log)> also = [](const lab::StudyLog&) {};
  // Long names of options, besides --format and the like, that go with --from and --resume.
  std::vector<std::string> report_options = {};
};

// Exit status: 0, 1 when some trials failed, 128 + signal when interrupted.
int RunStudyCommand(const CLI::App& command, const StudyKind& kind, const StudyOptions& options);

// Throws UsageError unless DrawFigures knows the `format` that --figure-format says.
void CheckFigureFormat(const std::string& format);
// Draws every figure as DIRECTORY/NAME.FORMAT; the directory is made if need be.
void DrawFigures(const std::vector<lab::StudyFigure>& figures, const std::string& directory,
                 const std::string& format);

}  // namespace mr::app
