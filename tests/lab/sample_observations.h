// Plans and observations for tests: small, and with figures that can be worked out by hand.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "lab/data/random.h"
#include "lab/plan/observation.h"
#include "lab/plan/plan.h"
#include "lab/plan/schedule.h"

namespace mr::lab {

inline Plan TwoArms(int blocks, Design design = Design::kChain) {
  Plan plan;
  plan.arms = {{"mmap", "m {pattern} {file}"}, {"read", "r {pattern} {file}"}};
  plan.design = design;
  plan.blocks = blocks;
  plan.pattern = "needle";
  plan.file = "/data";
  plan.file_bytes = 1 << 20;
  return plan;
}

inline Observation MakeObservation(const Trial& trial, double seconds, std::uint64_t disk_bytes) {
  Observation row;
  row.trial = trial;
  row.started = "2025-01-31T12:00:00.000Z";
  row.real = std::chrono::nanoseconds(std::llround(seconds * 1e9));
  row.usage.user = std::chrono::milliseconds(120);
  row.usage.system = std::chrono::milliseconds(340);
  row.io = os::ProcessIo{.rchar_bytes = 9, .read_bytes = disk_bytes};
  row.matches = 3;
  row.before = {
      .total_pages = 256, .resident_pages = 0, .resident_map = {0, 0}, .charged_bytes = 1};
  row.after = {.total_pages = 256, .resident_pages = 7, .resident_map = {3, 4}, .charged_bytes = 2};
  return row;
}

// An observation for every trial of the plan; `seconds` says how long it takes.
inline std::vector<Observation> Observe(const Plan& plan,
                                        const std::function<double(const Trial&)>& seconds) {
  std::vector<Observation> rows;
  for (const Trial& trial : MakeSchedule(plan)) {
    rows.push_back(MakeObservation(trial, seconds(trial), 1000000));
  }
  return rows;
}

inline bool IsPair(const Trial& trial, int first, int second) {
  return trial.previous == first && trial.arm == second;
}

}  // namespace mr::lab
