// One line on a terminal that says how far a run is, and the signals that ask it to end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace mr::lab {

std::string FormatDuration(std::chrono::seconds duration);  // "0:07", "12:30", "1:02:03"

// Writes to a stream only when that is a terminal. While it lives, SIGINT, SIGTERM and SIGHUP are
// noted instead of ending the process (unless they are ignored); one at a time.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Replaces the line.
  void Show(const std::string& text);
  void Erase();
  // A line that stays, on a terminal or not.
  void Say(const std::string& line);

  // ", 1:23 left", or nothing before the first of `total` is done.
  std::string TimeLeft(std::size_t done, std::size_t total) const;

  // The signal that was noted; 0 is none.
  int StopSignal() const;

 private:
  std::FILE* stream_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace mr::lab
