#include "app/mrgrep/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include "print/standard_output.h"

namespace mr::app {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(250);

std::string Amount(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string Time(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5970) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

std::size_t TerminalColumns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// A job in the background may be stopped by what it writes to the terminal.
bool InForeground() { return ::tcgetpgrp(STDERR_FILENO) == ::getpgrp(); }

std::uint64_t DiskBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_inblock) * 512;
}

}  // namespace

std::string FormatProgress(const std::string& program_name, const ProgressState& state) {
  const auto done = static_cast<double>(state.done_bytes);
  std::string text = program_name + ": " + Amount(done);
  const bool known = state.all_bytes && *state.all_bytes >= state.done_bytes;
  if (known) text += " of " + Amount(static_cast<double>(*state.all_bytes));
  const double rate = state.elapsed.count() > 0 ? done / state.elapsed.count() : 0;
  text += ", " + Amount(rate) + "/s";
  if (known && rate > 0) {
    text += ", " + Time((static_cast<double>(*state.all_bytes) - done) / rate) + " left";
  }
  if (state.done_bytes > 0) {
    const double from_disk = std::min(1.0, static_cast<double>(state.disk_bytes) / done);
    text += fmt::format(", {:.0f} % from the cache", 100 * (1 - from_disk));
  }
  return text;
}

bool ProgressIsWelcome() {
  struct stat status;
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb" && ::fstat(STDOUT_FILENO, &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode));
}

Progress::Progress(std::string program_name, const std::atomic<std::uint64_t>& done_bytes,
                   CountAll count_all)
    : program_name_(std::move(program_name)),
      done_bytes_(done_bytes),
      count_all_(std::move(count_all)),
      thread_([this] { Run(); }) {}

Progress::~Progress() {
  Clear(true).unlock();
  thread_.join();
}

void Progress::Run() {
  std::unique_lock lock(mutex_);
  if (stopped_.wait_for(lock, kPatience, [&] { return over_; })) return;
  Show();
  lock.unlock();
  std::optional<std::uint64_t> all;
  try {
    all = count_all_(stop_);
  } catch (const std::exception&) {
    // No share of the whole is shown then; the search itself says what is wrong.
  }
  lock.lock();
  all_bytes_ = all;
  while (!stopped_.wait_for(lock, kInterval, [&] { return over_; })) Show();
}

// Called with mutex_ held.
void Progress::Show() {
  if (!InForeground()) return;
  ProgressState state;
  state.done_bytes = done_bytes_.load();
  state.all_bytes = all_bytes_;
  state.disk_bytes = DiskBytes();
  state.elapsed = std::chrono::steady_clock::now() - start_;
  // In the last column some terminals break the line.
  const std::string text = FormatProgress(program_name_, state).substr(0, TerminalColumns() - 1);
  print::WriteError("\r" + text + "\033[K");
  shown_ = true;
}

std::unique_lock<std::mutex> Progress::Clear(bool for_good) {
  std::unique_lock lock(mutex_);
  if (std::exchange(shown_, false)) print::WriteError("\r\033[K");
  if (for_good) {
    over_ = true;
    stop_ = true;
    stopped_.notify_all();
  }
  return lock;
}

OutputUnderProgress::OutputUnderProgress(search::Output& output, Progress& progress)
    : output_(output), progress_(progress), to_terminal_(::isatty(STDOUT_FILENO) == 1) {}

void OutputUnderProgress::Write(std::string_view bytes) {
  if (to_terminal_ && !bytes.empty()) progress_.Clear(true).unlock();
  output_.Write(bytes);
}

void OutputUnderProgress::Message(search::Severity severity, std::string_view text) {
  const std::unique_lock lock = progress_.Clear(false);
  output_.Message(severity, text);
}

}  // namespace mr::app
