// mrbench simulate: how often the analysis of ordered pairs is right, on experiments whose truth
// is known.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/mrbench/commands.h"
#include "app/mrbench/log.h"
#include "app/mrbench/number.h"
#include "lab/analysis/analysis.h"
#include "lab/analysis/simulation.h"

namespace mr::app {
namespace {

int RunSimulation(lab::SimulationPlan plan, const std::string& design_name) {
  const std::optional<lab::Design> design = lab::ParseDesign(design_name);
  if (!design) throw UsageError(fmt::format("--design '{}': not chain or reset", design_name));
  plan.design = *design;
  const lab::SimulationResult result = lab::Simulate(plan, [](int) { return true; });
  std::string text = fmt::format(
      "{} experiments, {} of {} arms, {} blocks: noise {} (drift of blocks {}), true ratio {}, "
      "seed {}\n",
      result.experiments, lab::DesignName(plan.design), plan.arms, plan.blocks, plan.noise,
      plan.drift, plan.effect, plan.seed);
  text += fmt::format("estimated ratio (median)       {:7.4f}\n", result.median_ratio);
  if (result.without_interval == result.experiments) {
    text += "interval holds the truth             -  (fewer than 6 blocks: no interval)\n";
  } else {
    text += fmt::format(
        "interval holds the truth       {:7.4f}  (nominal {}, exact level is discrete)\n",
        result.Share(result.covered), lab::kConfidence);
  }
  if (result.median_detectable > 0) {
    text += fmt::format("smallest detectable (median)   {:7.4f}  (found four times out of five)\n",
                        result.median_detectable);
  }
  text += fmt::format("effect claimed                 {:7.4f}\n", result.Share(result.alarms));
  text += fmt::format("effect claimed where none is   {:7.4f}  (nominal: at most {:.2f})\n",
                      result.Share(result.false_alarms), 1 - lab::kConfidence);
  const int blocks = lab::BlocksForClaim(plan.arms * (plan.arms - 1));
  if (plan.blocks < blocks) {
    text += fmt::format("With fewer than {} blocks nothing is ever claimed.\n", blocks);
  }
  PrintOut(text);
  return 0;
}

}  // namespace

void AddSimulateCommand(CLI::App& root, Action& action) {
  const auto plan = std::make_shared<lab::SimulationPlan>();
  const auto design = std::make_shared<std::string>("chain");
  CLI::App* command =
      root.add_subcommand("simulate", "Check the analysis of pairs on data whose truth is known");
  command
      ->add_option("--effect", plan->effect,
                   "true time of the second arm after the first, against after itself")
      ->type_name("RATIO")
      ->transform(RealNumber(0.001, 1000))
      ->capture_default_str();
  command->add_option("--noise", plan->noise, "coefficient of variation of a time")
      ->type_name("CV")
      ->transform(RealNumber(0, 10))
      ->capture_default_str();
  command->add_option("--drift", plan->drift, "the same of what a block's times have in common")
      ->type_name("CV")
      ->transform(RealNumber(0, 10))
      ->capture_default_str();
  command->add_option("--blocks", plan->blocks, "per experiment")
      ->transform(WholeNumber(1, 10'000))
      ->capture_default_str();
  command->add_option("--arms", plan->arms, "per experiment")
      ->transform(WholeNumber(2, 26))
      ->capture_default_str();
  command->add_option("--design", *design, "chain or reset")->capture_default_str();
  command->add_option("--runs", plan->experiments, "experiments")
      ->transform(WholeNumber(1, kMostRepeats))
      ->capture_default_str();
  command->add_option("--seed", plan->seed, "of the noise")
      ->transform(WholeNumber(0))
      ->capture_default_str();
  command->callback([plan, design, &action] {
    action = [plan, design] { return RunSimulation(*plan, *design); };
  });
}

}  // namespace mr::app
