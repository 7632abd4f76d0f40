#include "lab/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace mr::lab {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted_signal = 0;
std::array<struct sigaction, kSignals.size()> earlier_actions;

extern "C" void NoteSignal(int signal) { noted_signal = signal; }

}  // namespace

std::string FormatDuration(std::chrono::seconds duration) {
  const auto seconds = duration.count();
  if (seconds >= 3600) {
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

ProgressWatcher::ProgressWatcher(const Plan& plan, std::FILE* stream)
    : plan_(plan), stream_(stream), terminal_(isatty(fileno(stream)) == 1) {
  noted_signal = 0;
  struct sigaction action = {};
  action.sa_handler = NoteSignal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

ProgressWatcher::~ProgressWatcher() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &earlier_actions[i], nullptr);
  }
  Erase();
}

void ProgressWatcher::BeforeTrial(const Trial& trial, std::size_t done, std::size_t total) {
  if (!terminal_) return;
  std::string left;
  if (done > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double seconds =
        spent.count() / static_cast<double>(done) * static_cast<double>(total - done);
    left = fmt::format(", {} left",
                       FormatDuration(std::chrono::seconds(static_cast<long>(seconds + 0.5))));
  }
  const std::string line = fmt::format(
      "trial {} of {}, block {} of {}{}: {}{}", done + 1, total, trial.block + 1, plan_.blocks,
      left, plan_.arms[trial.arm].name,
      trial.previous ? " after " + plan_.arms[*trial.previous].name : " after eviction");
  fmt::print(stream_, "\r\x1b[K{}", line);
  std::fflush(stream_);
}

void ProgressWatcher::AfterTrial(const Observation& observation) {
  // What was not run after a failure has been announced by that failure.
  const bool announced =
      observation.outcome == Outcome::kAfterFailure ||
      (observation.outcome == Outcome::kNotPrepared && observation.trial.previous);
  if (observation.outcome == Outcome::kOk || announced) return;
  Erase();
  const Trial& trial = observation.trial;
  fmt::print(stream_, "mrbench: trial {} (block {}, {}{}): {}: {}\n", trial.index + 1,
             trial.block + 1, plan_.arms[trial.arm].name,
             trial.previous ? " after " + plan_.arms[*trial.previous].name : " after eviction",
             OutcomeName(observation.outcome), observation.reason);
  std::fflush(stream_);
}

int ProgressWatcher::StopSignal() { return noted_signal; }

void ProgressWatcher::Erase() {
  if (!terminal_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

}  // namespace mr::lab
