#include "lab/trial/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "lab/log/log_file.h"
#include "lab/plan/arm.h"
#include "os/error.h"

namespace mr::lab {
namespace {

constexpr const char* kCannotSee = "cannot see what is in the page cache";
constexpr std::uint64_t kKeptErrorBytes = 2000;
// Beyond this many bytes the output of an arm that should print one number is not looked at.
constexpr std::uint64_t kKeptNumberBytes = 256;

// What may appear between two runs: a few windows of read-ahead that were under way, or this part
// of the file.
constexpr std::uint64_t kReadAheadTolerance = std::uint64_t{16} << 20;
constexpr std::uint64_t kToleratedPart = 100;
// Every CPU may hold back some pages of a charge (the kernel's MEMCG_CHARGE_BATCH is 64), and what
// the kernel must have it takes beyond a limit.
constexpr std::uint64_t kChargeTolerance = std::uint64_t{4} << 20;

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// The number that grep -c printed, with or without "FILE:" in front.
std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  text.remove_prefix(text.find_last_of(": \t") + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> CountMatches(Counting counting, const os::ProcessResult& result) {
  switch (counting) {
    case Counting::kLines:
      return result.output.lines;
    case Counting::kNumber:
      return ParseNumber(result.output.text);
    case Counting::kNone:
      break;
  }
  return std::nullopt;
}

// Why the run is a failure, whatever it found; empty when it is not one. A search that rightly
// finds nothing exits with 1.
std::string Failure(const os::ProcessResult& result, bool may_find_nothing) {
  if (result.start_failure) return result.start_failure->message();
  if (result.signal != 0) return fmt::format("killed by signal {}", result.signal);
  if (result.exit_code == 0 || (result.exit_code == 1 && may_find_nothing)) return "";
  std::string reason = fmt::format("exit status {}", result.exit_code);
  if (!result.error.text.empty()) reason += ": " + FirstLine(result.error.text);
  return reason;
}

}  // namespace

TrialRunner::TrialRunner(const Plan& plan, const std::vector<std::vector<std::string>>& commands,
                         Stage& stage)
    : plan_(plan), commands_(commands), stage_(stage) {}

Observation TrialRunner::Run(const Trial& trial) {
  Observation row;
  row.trial = trial;
  row.started = UtcNow();
  if (!trial.previous) before_.reset();
  if (before_ && *before_ != Outcome::kOk) {
    row.outcome =
        *before_ == Outcome::kNotPrepared ? Outcome::kNotPrepared : Outcome::kAfterFailure;
    row.reason = "not run: " + std::string(OutcomeName(*before_)) + " before it";
    return row;
  }
  if (IsReady(row)) {
    const CounterState counters = stage_.ReadCounters();
    const os::ProcessResult process = stage_.RunLimited(MakeCommand(trial.arm));
    if (process.forwarded_signal != 0) throw Interrupted(process.forwarded_signal);
    const CounterState later = stage_.ReadCounters();
    row.after = stage_.LookAtCache();
    row.vmstat = os::Difference(later.vmstat, counters.vmstat);
    row.pressure = os::Difference(later.pressure, counters.pressure);
    row.group = os::Difference(later.group, counters.group);
    row.cpu = os::Difference(later.cpu, counters.cpu);
    row.trace = stage_.TakeTrace();
    Measure(process, row);
    Judge(process, row);
    JudgeLimit(row);
  }
  pages_left_ = row.after.resident_pages;
  before_ = row.outcome;
  return row;
}

std::uint64_t TrialRunner::CountOnce(int arm) {
  const os::ProcessResult result = stage_.RunFree(MakeCommand(arm));
  if (result.forwarded_signal != 0) throw Interrupted(result.forwarded_signal);
  const std::optional<std::uint64_t> matches = CountMatches(plan_.counting, result);
  std::string failure = result.timed_out ? "timed out" : Failure(result, matches == 0U);
  if (failure.empty() && !matches) failure = "it did not print a number";
  if (!failure.empty()) {
    throw ArmError(fmt::format("arm {}: {} (in the run that finds out how many lines match)",
                               plan_.arms[arm].name, failure));
  }
  return *matches;
}

// Standard output is a pipe, as in a script that looks at the result: with /dev/null there, some
// greps stop at the first match.
os::Command TrialRunner::MakeCommand(int arm) const {
  os::Command command;
  command.arguments = commands_[arm];
  command.input = os::Stream::Null();
  command.output = os::Stream::Count();
  if (plan_.counting == Counting::kNumber) {
    command.output = os::Stream::Capture();
    command.output.keep_bytes = kKeptNumberBytes;
  }
  command.error = os::Stream::Capture();
  command.error.keep_bytes = kKeptErrorBytes;
  command.own_process_group = true;
  command.forwarding = os::Forwarding::kTermination;
  if (plan_.timeout.count() > 0) command.timeout = plan_.timeout;
  return command;
}

bool TrialRunner::Prepare(Observation& row) {
  row.outcome = Outcome::kNotPrepared;
  try {
    const os::Eviction eviction = stage_.Evict();
    if (eviction.total_pages != os::PagesIn(plan_.file_bytes)) {
      row.reason = "the data has changed its size since the experiment was planned";
      return false;
    }
    if (eviction.verified_empty()) {
      row.outcome = Outcome::kOk;
      return true;
    }
    row.before = stage_.LookAtCache();
    row.reason = eviction.pages_left ? fmt::format("{} of {} pages stayed in the page cache",
                                                   *eviction.pages_left, eviction.total_pages)
                                     : std::string(kCannotSee) + ": " + eviction.why_unknown;
  } catch (const os::IoError& error) {
    row.reason = error.what();
  }
  return false;
}

void TrialRunner::ComesAfter(std::uint64_t pages_left) {
  before_.reset();
  pages_left_ = pages_left;
}

bool TrialRunner::IsReady(Observation& row) {
  if (row.trial.previous) {
    row.before = stage_.LookAtCache();
    return IsAsLeft(row);
  }
  if (!Prepare(row)) return false;
  row.before = stage_.LookAtCache();
  return IsStillEmpty(row);
}

// Somebody else may read the data in the moment after the eviction.
bool TrialRunner::IsStillEmpty(Observation& row) const {
  if (row.before.resident_pages == 0U) return true;
  row.outcome = Outcome::kNotPrepared;
  row.reason = row.before.resident_pages
                   ? fmt::format("{} of {} pages came back into the page cache before the run",
                                 *row.before.resident_pages, row.before.total_pages)
                   : kCannotSee;
  return false;
}

// Between two runs the kernel may end what it was reading ahead, and nothing else.
bool TrialRunner::IsAsLeft(Observation& row) const {
  const std::optional<std::uint64_t>& now = row.before.resident_pages;
  if (!now || !pages_left_) {
    row.outcome = Outcome::kNotPrepared;
    row.reason = !now ? kCannotSee : "cannot see what the run before left in the page cache";
    return false;
  }
  const std::uint64_t tolerance =
      os::PagesIn(kReadAheadTolerance) + row.before.total_pages / kToleratedPart;
  const std::uint64_t difference = std::max(*now, *pages_left_) - std::min(*now, *pages_left_);
  if (difference <= tolerance) return true;
  row.outcome = Outcome::kDisturbed;
  row.reason = fmt::format("the run before left {} pages in the cache, now there are {}",
                           *pages_left_, *now);
  return false;
}

void TrialRunner::Measure(const os::ProcessResult& result, Observation& row) {
  row.real = result.wall;
  row.usage = result.usage;
  row.io = result.io;
  row.exit_status = result.shell_status();
  row.output_bytes = result.output.bytes;
  row.matches = CountMatches(plan_.counting, result);
}

void TrialRunner::Judge(const os::ProcessResult& result, Observation& row) const {
  row.outcome = Outcome::kFailed;
  if (result.timed_out) {
    row.outcome = Outcome::kTimedOut;
    row.reason = fmt::format("not finished after {} s", plan_.timeout.count());
    return;
  }
  row.reason = Failure(result, plan_.counting != Counting::kNone && truth_.matches == 0U);
  if (row.reason.empty() && result.left_processes) {
    row.reason = "left processes behind, which were killed";
  }
  if (!row.reason.empty()) {
    // The most likely way to fail loudly: exit 1, nothing found, where there is something.
    if (result.exit_code != 1 || row.matches != 0U) return;
  }
  if (plan_.counting != Counting::kNone && row.matches != truth_.matches) {
    row.outcome = Outcome::kWrongCount;
    row.reason = fmt::format("{} lines selected, {} expected by {}",
                             row.matches ? std::to_string(*row.matches) : "no number of",
                             *truth_.matches, truth_.source);
    return;
  }
  if (row.reason.empty()) row.outcome = Outcome::kOk;
}

// A limit is only what it says when everything that it is about was charged to its group: data that
// is cached for somebody else is a free hit.
void TrialRunner::JudgeLimit(Observation& row) const {
  if (!plan_.memory_bytes || row.outcome != Outcome::kOk) return;
  const std::optional<std::uint64_t>& peak = row.trace.peak_charged_bytes;
  if (peak && *peak > *plan_.memory_bytes + kChargeTolerance) {
    row.outcome = Outcome::kNotLimited;
    row.reason = fmt::format("{} bytes were charged, the limit is {}", *peak, *plan_.memory_bytes);
    return;
  }
  const auto& [total, resident, map, charged] = row.after;
  if (!resident || !charged) {
    row.outcome = Outcome::kNotLimited;
    row.reason = !resident ? kCannotSee : "cannot see what is charged to the memory group";
    return;
  }
  const std::uint64_t resident_bytes = *resident * os::PageBytes();
  if (resident_bytes > *charged + kChargeTolerance) {
    row.outcome = Outcome::kNotLimited;
    row.reason = fmt::format(
        "{} bytes of the data are in the cache, but only {} are charged to the memory group",
        resident_bytes, *charged);
  }
}

}  // namespace mr::lab
