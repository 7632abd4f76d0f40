// The order in which an experiment runs its trials. Pure: the same plan gives the same schedule on
// every machine, so a log that was cut short can be continued.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/plan/plan.h"

namespace mr::lab {

// One run of one arm.
struct Trial {
  int index = 0;  // in the schedule, from 0
  int block = 0;  // repetition of the whole set of pairs, from 0
  // A unit is a row of trials that begins with an eviction and whose trials depend on each other
  // through the cache: when one is lost, the unit is run again from its beginning. In a chain it
  // is the block, with resets it is the pair.
  int unit = 0;
  int arm = 0;
  // The arm that ran just before in the same unit. Nothing for the first trial of a unit, which
  // starts from an empty cache and is the lead-in: it is logged, but belongs to no pair.
  std::optional<int> previous;

  bool operator==(const Trial&) const = default;
};

// chain: per block one lead-in, then arms x arms runs, in which every ordered pair (also of an arm
//   with itself) occurs exactly once, because they follow a cyclic de Bruijn sequence of order
//   two. Per block the arms' places in the sequence are permuted and the cycle is entered at a
//   random place, so that no pair always follows the lead-in.
// reset: per block arms x arms units of two trials, in random order.
// The plan must have at least one arm and one block.
std::vector<Trial> MakeSchedule(const Plan& plan);

// The cyclic de Bruijn sequence of order two over 0..symbols-1: each of the symbols x symbols
// ordered pairs occurs once, the last symbol being followed by the first. It is the
// lexicographically least one: the concatenation of the Lyndon words of length one and two, in
// order (Fredricksen and Maiorana, 1978).
std::vector<int> DeBruijnCycle(int symbols);

// What --dry-run prints: a line per trial.
std::string DescribeSchedule(const Plan& plan, const std::vector<Trial>& schedule);

}  // namespace mr::lab
