// mrbench appcache: the application's own cache against the kernel's, over a tree of files.
#include "lab/studies/appcache.h"

#include <memory>
#include <string>
#include <vector>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "app/mrbench/study.h"

namespace mr::app {
namespace {

struct AppcacheOptions {
  StudyOptions study;
  std::string directory;
  std::string pattern;
  std::vector<double> short_shares;
};

lab::Json MakePlan(const AppcacheOptions& options) {
  if (options.directory.empty()) throw UsageError("which DIR holds the files?");
  lab::AppcachePlan plan = lab::MakeAppcachePlan(options.directory);
  if (!options.pattern.empty()) plan.pattern = options.pattern;
  if (!options.short_shares.empty()) plan.short_shares = options.short_shares;
  return ToJson(plan);
}

}  // namespace

void AddAppcacheCommand(CLI::App& root, Action& action) {
  const auto options = std::make_shared<AppcacheOptions>();
  options->study.rounds = 4;  // as published
  CLI::App* command = root.add_subcommand(
      "appcache", "An application's own file cache against the kernel's, over a tree of files");
  command->add_option("DIR", options->directory, "every regular file below it is used");
  command->add_option("-e,--pattern", options->pattern,
                      "fixed text for the searches (default: one that is not there)");
  command
      ->add_option("--short", options->short_shares,
                   "a memory limit, as a share of the files; may be repeated\n"
                   "(default: --short 0.25 --short 0.5)")
      ->type_name("SHARE")
      ->transform(RealNumberBetween(0, 1))
      ->allow_extra_args(false);
  DeclareStudyOptions(*command, options->study);
  command->callback([options, command, &action] {
    action = [options, command] {
      const StudyKind kind = {
          .name = "appcache",
          .plan = [&options = *options] { return MakePlan(options); },
          .make =
              [](const lab::Json& plan) {
                return lab::MakeAppcache(lab::AppcachePlanFromJson(plan));
              },
          .place = [](const lab::Json& plan) { return lab::AppcachePlanFromJson(plan).directory; },
          .report = &lab::ReportAppcache};
      return RunStudyCommand(*command, kind, options->study);
    };
  });
}

}  // namespace mr::app
