// The line on a terminal that tells how far a long search has come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "search/sink.h"

namespace mr::app {

// How far a search has come.
struct ProgressState {
  std::uint64_t done_bytes = 0;
  std::optional<std::uint64_t> all_bytes;  // when known
  std::uint64_t disk_bytes = 0;            // of those done, read from storage
  std::chrono::duration<double> elapsed{};
};

// "mrgrep: 1.2 GB of 4.0 GB, 310 MB/s, 9 s left, 25 % from the cache", without what is not known.
std::string FormatProgress(const std::string& program_name, const ProgressState& state);

// Whether to show progress: standard error is a terminal that can move its cursor, and standard
// output is none of what a program would read, a pipe or a socket.
bool ProgressIsWelcome();

// Shows the line on standard error, from a second after its making on, until the first bytes for a
// terminal come or it is destroyed; then the line is erased. Runs a thread of its own.
class Progress {
 public:
  // `done_bytes` grows with the search and must outlive it. `count_all` is called once, by the
  // thread; it must return early once its argument says so.
  using CountAll = std::function<std::optional<std::uint64_t>(const std::atomic<bool>& stop)>;
  Progress(std::string program_name, const std::atomic<std::uint64_t>& done_bytes,
           CountAll count_all);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Erases the line, which stays away while the lock is held and, with `for_good`, forever.
  std::unique_lock<std::mutex> Clear(bool for_good);

 private:
  void Run();
  void Show();

  const std::string program_name_;
  const std::atomic<std::uint64_t>& done_bytes_;
  const CountAll count_all_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool shown_ = false;
  bool over_ = false;  // not to be shown any more
  std::optional<std::uint64_t> all_bytes_;
  std::thread thread_;
};

// An Output before which the progress line gives way.
class OutputUnderProgress : public search::Output {
 public:
  OutputUnderProgress(search::Output& output, Progress& progress);
  void Write(std::string_view bytes) override;
  void Message(search::Severity severity, std::string_view text) override;

 private:
  search::Output& output_;
  Progress& progress_;
  const bool to_terminal_;
};

}  // namespace mr::app
