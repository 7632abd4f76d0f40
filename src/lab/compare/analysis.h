// From the log of a comparison to what may be said about places and searches. Pure.
//
// A cell is an arm at a place from a start; its values are one per block. Two comparisons are made
// for each, within blocks: the place against the first place, with the same arm and start, and the
// arm against the first arm, at the same place and start. Each kind is one family for Holm.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/analysis/paired_ratio.h"
#include "lab/compare/log.h"
#include "lab/compare/plan.h"

namespace mr::lab {

// What an NFS client did in one run, as medians over the runs of a cell.
struct NfsSummary {
  double read_calls = 0;
  double server_read_bytes = 0;
  std::optional<double> read_rtt_ms;      // of one READ; nothing when there were none
  std::optional<double> read_execute_ms;  // the same with the time in the client's queues
  double other_calls = 0;                 // all operations but READ
  double resent = 0;                      // transmissions beyond the first of each call
};

struct CompareCell {
  int arm = 0;
  int place = 0;
  CacheStart start = CacheStart::kCold;
  std::vector<Observation> observations;  // that count, by block
  std::vector<bool> outlier;              // one for each of them, by real time
  int excluded = 0;                       // trials of this cell that do not count

  // In seconds and bytes; nothing when there are no observations.
  std::optional<Summary> real;
  std::optional<Summary> user;
  std::optional<Summary> system;
  std::optional<double> fetched_bytes;  // median; see CompareObservation
  std::optional<NfsSummary> nfs;

  std::optional<PairedRatio> against_first_place;  // real time
  std::optional<PairedRatio> against_first_arm;    // real time
};

struct CompareReport {
  std::vector<CompareCell> cells;            // by start (cold first), arm and place
  std::vector<CompareObservation> excluded;  // with their reasons, in the order of the schedule
  int planned = 0;                           // trials of the whole schedule
  int observed = 0;                          // of them in the log, counted or excluded
};

CompareReport AnalyzeComparison(const ComparePlan& plan,
                                std::span<const CompareObservation> observations);

}  // namespace mr::lab
