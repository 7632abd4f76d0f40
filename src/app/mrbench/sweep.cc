// mrbench sweep: what loading a file costs, by its size.
#include "lab/studies/sweep.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "app/mrbench/study.h"
#include "io/io_spec.h"
#include "lab/data/set.h"
#include "os/error.h"

namespace mr::app {
namespace {

constexpr int kMostPoints = 16;

struct SweepOptions {
  StudyOptions study;
  std::string first = "512";
  std::string last = "1M";
  int points = 2;
  int repeats = 1000;
  std::string budget = "1G";
  std::vector<std::string> readers;
  std::string work = "search";
  std::string pattern{lab::kDefaultNeedle};
  std::string buffers = "malloc";
  std::string directory;
  std::string raw;
  double clip_s = 4;
};

lab::SweepPlan MakePlan(const SweepOptions& options) {
  lab::SweepPlan plan;
  const std::uint64_t first = SizeOption("--min", options.first);
  const std::uint64_t last = SizeOption("--max", options.last);
  if (first > last) {
    throw UsageError(fmt::format("--min {} is more than --max {}", options.first, options.last));
  }
  plan.sizes = lab::SweepSizes(first, last, options.points);
  plan.repeats = options.repeats;
  plan.budget_bytes = SizeOption("--budget", options.budget);
  plan.readers = options.readers;
  if (plan.readers.empty()) plan.readers = {"read", "mmap"};
  for (std::size_t i = 0; i < plan.readers.size(); ++i) {
    io::WholeFileLoader(io::ParseIoSpec(plan.readers[i]), io::Allocation::kPool);
    for (std::size_t j = 0; j < i; ++j) {
      if (plan.readers[i] == plan.readers[j]) {
        throw UsageError(fmt::format("--io '{}' is given twice", plan.readers[i]));
      }
    }
  }
  const auto work = lab::ParseWork(options.work);
  if (!work) {
    throw UsageError(
        fmt::format("--work '{}': not none, touch, sum, memcpy, search or tokenize", options.work));
  }
  plan.work = *work;
  plan.pattern = options.pattern;
  const auto buffers = lab::ParseSweepBuffers(options.buffers);
  if (!buffers) {
    throw UsageError(
        fmt::format("--buffers '{}': not malloc, malloc-128k or pool", options.buffers));
  }
  plan.buffers = *buffers;
  plan.directory = options.directory.empty() ? std::filesystem::temp_directory_path().string()
                                             : options.directory;
  std::error_code error;
  plan.directory = std::filesystem::canonical(plan.directory, error).string();
  if (error) throw os::IoError(options.directory, error.value());
  return plan;
}

void WriteRaw(const std::string& path, const lab::StudyLog& log) {
  if (path.empty()) return;
  const std::optional<lab::Raw> raw = lab::SweepRaw(log);
  if (!raw) {
    throw os::IoError(path, "not written: it needs every size by both read and mmap");
  }
  WriteTextFile(path, lab::FormatRaw(*raw));
}

int Sweep(const CLI::App& command, const SweepOptions& options) {
  const StudyKind kind = {
      .name = "sweep",
      .plan = [&options] { return ToJson(MakePlan(options)); },
      .make = [](const lab::Json& plan) { return lab::MakeSweep(lab::SweepPlanFromJson(plan)); },
      .place = [](const lab::Json& plan) { return lab::SweepPlanFromJson(plan).directory; },
      .report = [&options](const lab::StudyLog& log) { return ReportSweep(log, options.clip_s); },
      .also = [&options](const lab::StudyLog& log) { WriteRaw(options.raw, log); },
      .report_options = {"--raw", "--clip"}};
  return RunStudyCommand(command, kind, options.study);
}

}  // namespace

void AddSweepCommand(CLI::App& root, Action& action) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* command =
      root.add_subcommand("sweep", "Cost of loading a file by its size, for read and mmap");
  command->add_option("--min", options->first, "smallest size")->capture_default_str();
  command->add_option("--max", options->last, "largest size")->capture_default_str();
  command->add_option("--points", options->points, "sizes per doubling")
      ->transform(WholeNumber(1, kMostPoints))
      ->capture_default_str();
  // One would leave nothing to subtract.
  command->add_option("--repeats", options->repeats, "how often each file is processed")
      ->transform(WholeNumber(2, kMostRepeats))
      ->capture_default_str();
  command
      ->add_option("--budget", options->budget,
                   "SIZE that a cell processes at most: larger files are processed less often")
      ->capture_default_str();
  command
      ->add_option("--io", options->readers,
                   "how files are read, as mrgrep --io; may be repeated\n"
                   "(default: --io read --io mmap)")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command
      ->add_option("--work", options->work,
                   "what processing is: none, touch, sum, memcpy, search, tokenize")
      ->capture_default_str();
  command->add_option("--pattern", options->pattern, "fixed text that is searched for")
      ->capture_default_str();
  command
      ->add_option("--buffers", options->buffers,
                   "memory that files are read into: malloc, malloc-128k (as in 2000), pool")
      ->capture_default_str();
  command->add_option("--dir", options->directory, "DIRECTORY for the files");
  command->add_option("--raw", options->raw, "FILE to write for mrbench crunch");
  command->add_option("--clip", options->clip_s, "SECONDS at which the second figure is clipped")
      ->transform(RealNumber(kShortestClip, kLongestClip))
      ->capture_default_str();
  DeclareStudyOptions(*command, options->study);
  command->callback([options, command, &action] {
    action = [options, command] { return Sweep(*command, *options); };
  });
}

}  // namespace mr::app
