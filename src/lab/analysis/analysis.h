// From observations to what may be said about ordered pairs. Pure: a log gives the same report
// wherever and whenever it is read.
//
// A cell is an ordered pair of arms; its values are one per block. The carry-over of i on j is the
// ratio of "j after i" to "j after j", paired within blocks: Hodges-Lehmann on logarithms, with
// the signed-rank interval and p. There are two families of comparisons, one of times and one of
// bytes from the disk: p is adjusted by Holm within each, over all pairs of different arms, so the
// level holds for each family and not for both together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/analysis/paired_ratio.h"
#include "lab/plan/observation.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// "second after first" against "second after second".
using CarryOver = PairedRatio;

struct Cell {
  std::optional<int> first;  // nothing: after an eviction (the lead-ins)
  int second = 0;
  std::vector<Observation> observations;  // that count, by block
  std::vector<bool> outlier;              // one for each of them, by real time
  int excluded = 0;                       // trials of this cell that do not count

  // In seconds and bytes; nothing when there are no observations.
  std::optional<Summary> real;
  std::optional<Summary> user;
  std::optional<Summary> system;
  std::optional<Summary> disk_bytes;

  // For pairs of two different arms, when some block has both cells.
  std::optional<CarryOver> real_carry_over;
  std::optional<CarryOver> bytes_carry_over;  // a count of zero is taken as one page
};

struct Report {
  std::vector<Cell> pairs;            // arms x arms, in the plan's order of first, then second arm
  std::vector<Cell> lead_ins;         // one for each arm
  std::vector<Observation> excluded;  // with their reasons, in the order of the schedule
  int planned = 0;                    // trials of the whole schedule
  int observed = 0;                   // of them in the log, counted or excluded
  int superseded = 0;                 // rows of units that were run again
};

// The step of Analyze that fills in the carry-overs of arms x arms cells, in the order of
// Report::pairs, from their observations.
void CompareWithItself(std::vector<Cell>& pairs, int arms);

// Of several attempts at a unit the last one counts. Observations may come in any order.
Report Analyze(const Plan& plan, std::span<const Observation> observations);

}  // namespace mr::lab
