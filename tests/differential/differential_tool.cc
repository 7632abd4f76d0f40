// differential_tool: searches for a case in which two greps differ.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "differential/campaign.h"
#include "differential/case_generator.h"

namespace {

int Run(int argc, char** argv) {
  differential::CampaignPlan plan;
  plan.threads = std::thread::hardware_concurrency();
  plan.subject = MRGREP_BINARY;
  plan.variants = differential::IoVariants();
  std::int64_t only = -1;
  bool show = false;
  bool plain = false;

  CLI::App app("Runs random searches with GNU grep and with mrgrep and compares what they print");
  app.add_option("--seed", plan.seed, "Seed of all cases")->capture_default_str();
  app.add_option("--cases", plan.cases, "How many cases")->capture_default_str();
  app.add_option("--first", plan.first, "Number of the first case")->capture_default_str();
  app.add_option("--case", only, "Only the case of this number");
  app.add_option("--threads", plan.threads, "Threads")->capture_default_str();
  app.add_option("--failures", plan.most_failures, "Stop after this many different failures")
      ->capture_default_str();
  app.add_option("--reference", plan.reference.path, "The judge")->capture_default_str();
  app.add_option("--subject", plan.subject, "The program on trial")->capture_default_str();
  app.add_option("--leave-out", plan.left_out_options, "Skip cases with options that begin so");
  app.add_flag("--all-variants", plan.all_variants,
               "Run each case in every IO mode and with every number of threads");
  app.add_flag("--no-variants", plain, "Give the subject no arguments that the judge does not get");
  app.add_flag("--show", show, "Print the cases instead of running them");
  CLI11_PARSE(app, argc, argv);
  if (only >= 0) {
    plan.first = static_cast<std::uint64_t>(only);
    plan.cases = 1;
  }
  if (plain) plan.variants = {{}};

  if (show) {
    for (std::uint64_t i = 0; i < plan.cases; ++i) {
      const auto test_case = differential::MakeCase(plan.seed, plan.first + i);
      fmt::print("# case {}\n{}\n", test_case.number,
                 differential::ShellScript(test_case, "grep", {}));
    }
    return 0;
  }

  fmt::print("seed {}\n", plan.seed);
  const auto result = differential::RunCampaign(
      plan,
      [](std::uint64_t done) {
        fmt::print(stderr, "\r{} cases", done);
        std::fflush(stderr);
      },
      [](const std::string& failure) {
        fmt::print("\n{}", failure);
        std::fflush(stdout);
      });
  fmt::print(stderr, "\n");
  fmt::print("\nseed {}: {} cases, {} runs, {} left out, {} too slow for the reference\n",
             plan.seed, result.compared, result.runs, result.left_out, result.reference_slow);
  for (const auto& variant : result.unusable) fmt::print("  cannot be used: {}\n", variant);
  for (const auto& [status, count] : result.statuses) {
    fmt::print("  status {} of the reference: {}\n", status, count);
  }
  for (const auto& [name, count] : result.explained)
    fmt::print("  explained: {}: {}\n", name, count);
  for (const auto& [name, count] : result.repeated) fmt::print("  again: {}: {}\n", name, count);
  fmt::print("{} different failures\n", result.failures.size());
  return result.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "differential_tool: {}\n", error.what());
    return 2;
  }
}
