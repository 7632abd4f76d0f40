// Plans and observations of comparisons for tests.
#pragma once

#include <functional>
#include <vector>

#include "lab/compare/log.h"
#include "lab/compare/plan.h"
#include "lab/sample_observations.h"

namespace mr::lab {

inline ComparePlan DiskNfsAndMemory(int blocks) {
  const std::vector<CacheStart> both = {CacheStart::kCold, CacheStart::kWarm};
  ComparePlan plan;
  plan.arms = TwoArms(1).arms;
  plan.places = {
      {.name = "disk", .data = "/disk/data", .type = "ext4", .backing = {}, .starts = both},
      {.name = "nfs", .data = "/nfs/data", .type = "nfs4", .backing = {}, .starts = both},
      {.name = "memory",
       .data = "/memory/data",
       .type = "tmpfs",
       .backing = {},
       .starts = {CacheStart::kWarm}}};
  plan.blocks = blocks;
  plan.pattern = "needle";
  plan.source = "/disk/data";
  plan.data_bytes = 1 << 20;
  plan.checksum = "0123456789abcdef0123456789abcdef";
  return plan;
}

// An observation for every trial of the plan, with what an NFS client would count at "nfs".
inline std::vector<CompareObservation> Observe(
    const ComparePlan& plan, const std::function<double(const CompareTrial&)>& seconds) {
  std::vector<CompareObservation> rows;
  for (const CompareTrial& trial : MakeCompareSchedule(plan)) {
    const bool cold = trial.start == CacheStart::kCold;
    CompareObservation& row = rows.emplace_back();
    row.trial = trial;
    row.row = MakeObservation({.index = trial.index,
                               .block = trial.block,
                               .unit = trial.index,
                               .arm = trial.arm,
                               .previous = {}},
                              seconds(trial), cold ? 1 << 20 : 0);
    if (trial.place != 1) continue;
    row.nfs = os::Counters{{"OPEN.calls", 1}, {"OPEN.transmissions", 1}};
    if (!cold) continue;
    row.nfs->insert({{"READ.calls", 8},
                     {"READ.transmissions", 9},
                     {"READ.rtt_ms", 40},
                     {"READ.execute_ms", 60},
                     {"server_read_bytes", 1 << 20}});
  }
  return rows;
}

}  // namespace mr::lab
