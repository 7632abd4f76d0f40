#include "lab/plan/plan.h"

#include <set>

namespace mr::lab {

std::size_t TrialsPerBlock(const Plan& plan) {
  const std::size_t pairs = plan.arms.size() * plan.arms.size();
  return plan.design == Design::kChain ? pairs + 1 : 2 * pairs;
}

std::string PairLabel(const Plan& plan, int first, int second) {
  std::set<char> initials;
  for (const Arm& arm : plan.arms) initials.insert(arm.name.front());
  const std::string& one = plan.arms[first].name;
  const std::string& other = plan.arms[second].name;
  if (initials.size() == plan.arms.size()) return {one.front(), other.front()};
  return one + "," + other;
}

std::string_view DesignName(Design design) { return design == Design::kChain ? "chain" : "reset"; }

std::string_view CountingName(Counting counting) {
  switch (counting) {
    case Counting::kLines:
      return "lines";
    case Counting::kNumber:
      return "number";
    case Counting::kNone:
      break;
  }
  return "none";
}

std::optional<Design> ParseDesign(std::string_view name) {
  for (const Design design : {Design::kChain, Design::kReset}) {
    if (name == DesignName(design)) return design;
  }
  return std::nullopt;
}

std::optional<Counting> ParseCounting(std::string_view name) {
  for (const Counting counting : {Counting::kLines, Counting::kNumber, Counting::kNone}) {
    if (name == CountingName(counting)) return counting;
  }
  return std::nullopt;
}

}  // namespace mr::lab
