// One trial: prepare the cache and verify it, run the arm, measure, and judge what came out.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "lab/plan/observation.h"
#include "lab/plan/plan.h"
#include "lab/trial/stage.h"

namespace mr::lab {

// A signal from the user stopped a run, which is no observation then.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

// Runs the trials of a plan, in the order of its schedule.
class TrialRunner {
 public:
  // `commands` are the arms' argument vectors, in the plan's order. Everything must outlive the
  // runner.
  TrialRunner(const Plan& plan, const std::vector<std::vector<std::string>>& commands,
              Stage& stage);

  // The lines that the arm selects, found by running it once outside of all limits. Throws
  // ArmError when it fails, and Interrupted.
  std::uint64_t CountOnce(int arm);

  // What the trials must find; to be told before the first of them.
  void Expect(const Truth& truth) { truth_ = truth; }

  // The caller prepared the cache and left that many pages of the data in it, as a run before a
  // trial would have. The next trial may then be one with a predecessor.
  void ComesAfter(std::uint64_t pages_left);

  // A trial without a predecessor starts a unit: the data is evicted and nothing of it may be left
  // in the cache, nor have come back when the arm is about to start. Any other trial must find the
  // cache as the run before it left it, as far as read-ahead that was under way allows. When that
  // fails, or cannot be seen, neither it nor the rest of its unit is
  // run. Throws Interrupted.
  Observation Run(const Trial& trial);

 private:
  os::Command MakeCommand(int arm) const;
  bool Prepare(Observation& row);
  bool IsStillEmpty(Observation& row) const;
  bool IsAsLeft(Observation& row) const;
  bool IsReady(Observation& row);
  void Measure(const os::ProcessResult& result, Observation& row);
  void Judge(const os::ProcessResult& result, Observation& row) const;
  void JudgeLimit(Observation& row) const;

  const Plan& plan_;
  Truth truth_;
  const std::vector<std::vector<std::string>>& commands_;
  Stage& stage_;
  // Of the previous trial of this unit.
  std::optional<Outcome> before_;
  std::optional<std::uint64_t> pages_left_;
};

}  // namespace mr::lab
