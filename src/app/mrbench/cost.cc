// mrbench cost: what a gigabyte costs, by how it is read.
#include "lab/studies/cost.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "app/mrbench/study.h"

namespace mr::app {
namespace {

constexpr unsigned kMostThreads = 256;

struct CostOptions {
  StudyOptions study;
  std::string file;
  std::string size;
  std::string part = "256M";
  std::string directory;
  unsigned threads = 2;
};

lab::Json MakePlan(const CostOptions& options) {
  if (options.file.empty()) throw UsageError("which FILE is to be read?");
  std::optional<std::uint64_t> bytes;
  if (!options.size.empty()) bytes = SizeOption("--size", options.size);
  const std::string directory = options.directory.empty()
                                    ? std::filesystem::temp_directory_path().string()
                                    : options.directory;
  return ToJson(lab::MakeCostPlan(options.file, bytes, directory,
                                  SizeOption("--part", options.part), options.threads));
}

}  // namespace

void AddCostCommand(CLI::App& root, Action& action) {
  const auto options = std::make_shared<CostOptions>();
  CLI::App* command =
      root.add_subcommand("cost", "What a gigabyte costs by read and by mmap, from the cache");
  command->add_option("FILE", options->file, "large, and to stay in the page cache");
  command->add_option("--size", options->size,
                      "SIZE of the part of FILE that is read (default: all)");
  command
      ->add_option("--part", options->part,
                   "SIZE of the part that is copied into files in memory and to --dir")
      ->capture_default_str();
  command->add_option("--dir", options->directory,
                      "DIRECTORY on a disk for a copy that may be evicted");
  command->add_option("--threads", options->threads, "of the passes with several threads")
      ->transform(WholeNumber(1, kMostThreads))
      ->capture_default_str();
  DeclareStudyOptions(*command, options->study);
  command->callback([options, command, &action] {
    action = [options, command] {
      const StudyKind kind = {
          .name = "cost",
          .plan = [&options = *options] { return MakePlan(options); },
          .make = [](const lab::Json& plan) { return lab::MakeCost(lab::CostPlanFromJson(plan)); },
          .place = [](const lab::Json& plan) { return lab::CostPlanFromJson(plan).file; },
          .report = &lab::ReportCost};
      return RunStudyCommand(*command, kind, options->study);
    };
  });
}

}  // namespace mr::app
