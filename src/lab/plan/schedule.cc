#include "lab/plan/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

void AppendChainBlock(const Plan& plan, int block, Random& random, std::vector<Trial>& schedule) {
  const int arms = static_cast<int>(plan.arms.size());
  std::vector<int> cycle = DeBruijnCycle(arms);
  std::vector<int> labels(arms);
  std::iota(labels.begin(), labels.end(), 0);
  random.Shuffle(labels);
  std::rotate(cycle.begin(), cycle.begin() + static_cast<int>(random.Below(cycle.size())),
              cycle.end());
  std::optional<int> previous;
  const auto append = [&](int symbol) {
    const int arm = labels[symbol];
    schedule.push_back({.index = static_cast<int>(schedule.size()),
                        .block = block,
                        .unit = block,
                        .arm = arm,
                        .previous = previous});
    previous = arm;
  };
  append(cycle.back());
  for (const int symbol : cycle) append(symbol);
}

void AppendResetBlock(const Plan& plan, int block, Random& random, std::vector<Trial>& schedule) {
  const int arms = static_cast<int>(plan.arms.size());
  std::vector<std::pair<int, int>> pairs;
  for (int first = 0; first < arms; ++first) {
    for (int second = 0; second < arms; ++second) pairs.emplace_back(first, second);
  }
  random.Shuffle(pairs);
  int unit = block * arms * arms;
  for (const auto& [first, second] : pairs) {
    const int index = static_cast<int>(schedule.size());
    schedule.push_back(
        {.index = index, .block = block, .unit = unit, .arm = first, .previous = {}});
    schedule.push_back(
        {.index = index + 1, .block = block, .unit = unit, .arm = second, .previous = first});
    ++unit;
  }
}

}  // namespace

std::vector<int> DeBruijnCycle(int symbols) {
  std::vector<int> cycle;
  for (int low = 0; low < symbols; ++low) {
    cycle.push_back(low);
    for (int high = low + 1; high < symbols; ++high) {
      cycle.push_back(low);
      cycle.push_back(high);
    }
  }
  return cycle;
}

std::vector<Trial> MakeSchedule(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Trial> schedule;
  for (int block = 0; block < plan.blocks; ++block) {
    if (plan.design == Design::kChain) {
      AppendChainBlock(plan, block, random, schedule);
    } else {
      AppendResetBlock(plan, block, random, schedule);
    }
  }
  return schedule;
}

std::string DescribeSchedule(const Plan& plan, const std::vector<Trial>& schedule) {
  std::string text =
      fmt::format("{} design, {} arms, {} blocks, {} trials, seed {}\n", DesignName(plan.design),
                  plan.arms.size(), plan.blocks, schedule.size(), plan.seed);
  for (const Trial& trial : schedule) {
    const std::string& arm = plan.arms[trial.arm].name;
    text += fmt::format("trial {:4}  block {:3}  ", trial.index + 1, trial.block + 1);
    if (trial.previous) {
      text += fmt::format("{}  {} followed by {}\n", PairLabel(plan, *trial.previous, trial.arm),
                          plan.arms[*trial.previous].name, arm);
    } else {
      text += fmt::format("evict, verify, then {} (lead-in)\n", arm);
    }
  }
  return text;
}

}  // namespace mr::lab
