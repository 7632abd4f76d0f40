#include "lab/report/progress_line.h"

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

ProgressLine::ProgressLine(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {
  noted_signal = 0;
  struct sigaction action = {};
  action.sa_handler = NoteSignal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

ProgressLine::~ProgressLine() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &earlier_actions[i], nullptr);
  }
  Erase();
}

void ProgressLine::Show(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stream_, "\r\x1b[K{}", text);
  std::fflush(stream_);
}

void ProgressLine::Erase() {
  if (!terminal_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void ProgressLine::Say(const std::string& line) {
  Erase();
  fmt::print(stream_, "mrbench: {}\n", line);
  std::fflush(stream_);
}

std::string ProgressLine::TimeLeft(std::size_t done, std::size_t total) const {
  if (done == 0) return "";
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  const double seconds =
      spent.count() / static_cast<double>(done) * static_cast<double>(total - done);
  return fmt::format(", {} left",
                     FormatDuration(std::chrono::seconds(static_cast<long>(seconds + 0.5))));
}

int ProgressLine::StopSignal() const { return noted_signal; }

}  // namespace mr::lab
