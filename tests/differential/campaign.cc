#include "differential/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "differential/case_generator.h"
#include "differential/compare.h"
#include "differential/judge.h"
#include "differential/shrink.h"
#include "support/refusals.h"

namespace differential {
namespace {

// What the two programs did with a case, and how they differ.
struct Comparison {
  RunResult reference;
  RunResult subject;
  std::vector<std::string> variant;
  Aspect aspect = Aspect::kNone;
  std::string known;
};

// A thread's directories. Reading past the page cache needs one on a disk.
class Runners {
 public:
  Runner& For(const std::vector<std::string>& variant) {
    const bool direct = std::any_of(variant.begin(), variant.end(), [](const auto& argument) {
      return argument.find("direct") != std::string::npos;
    });
    if (!direct) return memory_;
    if (!disk_) disk_ = std::make_unique<Runner>(Runner::Place::kDisk);
    return *disk_;
  }
  Runner& memory() { return memory_; }

 private:
  Runner memory_;
  std::unique_ptr<Runner> disk_;
};

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// `bytes` from a little before `from`, quoted.
std::string Excerpt(const std::string& bytes, std::size_t from) {
  constexpr std::size_t kBefore = 300;
  constexpr std::size_t kLongest = 900;
  const std::size_t begin = from > kBefore ? from - kBefore : 0;
  std::string quoted = Quote(bytes.substr(begin, kLongest));
  if (begin > 0 || bytes.size() > begin + kLongest) {
    quoted += fmt::format(" ({} bytes from {} of {})", kLongest, begin, bytes.size());
  }
  return quoted;
}

std::size_t FirstMismatch(const std::string& left, const std::string& right) {
  const auto [at, unused] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>(at - left.begin());
}

// Both results, long texts near the place where they begin to differ.
std::string Show(const RunResult& reference, const RunResult& subject) {
  const std::size_t output_at = FirstMismatch(reference.output, WithReferenceName(subject.output));
  const std::size_t errors_at = FirstMismatch(reference.errors, WithReferenceName(subject.errors));
  std::string text;
  for (const auto* result : {&reference, &subject}) {
    text += fmt::format("{}:\n  status {}{}\n  stdout {}\n  stderr {}\n",
                        result == &reference ? "reference" : "subject", result->status,
                        result->timed_out ? " (killed at the time limit)" : "",
                        Excerpt(result->output, output_at), Excerpt(result->errors, errors_at));
  }
  return text;
}

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress,
           const std::function<void(const std::string&)>& on_failure)
      : plan_(plan), progress_(progress), on_failure_(on_failure) {}

  CampaignResult Run() {
    KeepUsableVariants();
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1U, plan_.threads); ++i) {
      workers.emplace_back([this] { Work(); });
    }
    workers.clear();
    return std::move(result_);
  }

 private:
  // A container may have no io_uring, and a file system no O_DIRECT; then the program says so.
  // Whatever else goes wrong with a variant is a failure.
  void KeepUsableVariants() {
    Case probe;
    probe.patterns = {"x"};
    probe.files = {{"f0", "x\n"}};
    probe.operands = {"f0"};
    Runners runners;
    runners.memory().Prepare(probe);
    const RunResult expected = runners.memory().Run(plan_.reference, probe);
    for (const auto& variant : plan_.variants) {
      Runner& runner = runners.For(variant);
      runner.Prepare(probe);
      const RunResult found = runner.Run({.path = plan_.subject, .leading = variant}, probe);
      if (FirstDifference(expected, found) == Aspect::kNone || variant.empty()) {
        variants_.push_back(variant);
      } else if (mr::test::SaysRefusal(found.errors)) {
        result_.unusable.push_back(Joined(variant));
      } else {
        Record(fmt::format("{} fails with the simplest case\n{}{}", Joined(variant),
                           ShellScript(probe, "mrgrep", variant), Show(expected, found)),
               Joined(variant));
      }
    }
    if (variants_.empty()) variants_.emplace_back();
  }

  void Work() {
    Runners runners;
    for (;;) {
      const std::uint64_t index = next_++;
      if (index >= plan_.cases || full_ || Clock::now() >= end_) return;
      const Case test_case = MakeCase(plan_.seed, plan_.first + index);
      if (LeftOut(test_case)) {
        const std::lock_guard lock(mutex_);
        ++result_.left_out;
        continue;
      }
      const Comparison comparison = Compare(runners, test_case, Variants(test_case.number));
      if (comparison.aspect != Aspect::kNone && comparison.known.empty()) {
        ReportFailure(runners, test_case, comparison);
      }
      Count(comparison);
    }
  }

  bool LeftOut(const Case& test_case) const {
    const auto& prefixes = plan_.left_out_options;
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const auto& prefix) { return test_case.HasOption(prefix); });
  }

  std::vector<std::vector<std::string>> Variants(std::uint64_t number) const {
    if (plan_.all_variants) return variants_;
    return {variants_[number % variants_.size()]};
  }

  // Stops at the first variant that differs.
  Comparison Compare(Runners& runners, const Case& test_case,
                     const std::vector<std::vector<std::string>>& variants) {
    Comparison comparison;
    runners.memory().Prepare(test_case);
    comparison.reference = runners.memory().Run(plan_.reference, test_case);
    ++runs_;
    for (const auto& variant : variants) {
      Runner& runner = runners.For(variant);
      if (&runner != &runners.memory()) runner.Prepare(test_case);
      const Program subject{.path = plan_.subject, .leading = variant};
      comparison.variant = variant;
      comparison.subject = runner.Run(subject, test_case);
      ++runs_;
      comparison.aspect = FirstDifference(comparison.reference, comparison.subject);
      if (comparison.aspect != Aspect::kNone) {
        Judge judge(runner, plan_.reference, subject);
        comparison.known = Explain(test_case, comparison.reference, comparison.subject, judge);
        break;
      }
    }
    return comparison;
  }

  void ReportFailure(Runners& runners, const Case& test_case, const Comparison& found) {
    constexpr int kRepeats = 10;
    // Without the variant's arguments if the difference is there without them.
    std::vector<std::string> variant;
    Comparison shown = found;
    auto fails = [&](const Case& candidate) {
      Comparison comparison = Compare(runners, candidate, {variant});
      const bool same = comparison.aspect == found.aspect && comparison.known.empty();
      if (same) shown = std::move(comparison);
      return same;
    };
    auto failures_of = [&](const Case& candidate) {
      int failures = 0;
      for (int i = 0; i < kRepeats; ++i) failures += fails(candidate) ? 1 : 0;
      return failures;
    };
    if (failures_of(test_case) < kRepeats) variant = found.variant;
    int failures = failures_of(test_case);
    Case small = test_case;
    // What differs now and then cannot be shrunk by trying once.
    if (failures == kRepeats) {
      small = Shrink(test_case, fails);
      failures = failures_of(small);
    }
    std::string signature = std::string(AspectName(found.aspect));
    if (failures < kRepeats) {
      signature += " now and then";
    } else {
      for (const auto& option : small.options) signature += " " + option;
      for (const auto& pattern : small.patterns) signature += " " + Quote(pattern);
    }
    Record(fmt::format("case {}: {} differs in {} of {} runs\n{}{}", test_case.number,
                       AspectName(found.aspect), failures, kRepeats,
                       ShellScript(small, "mrgrep", variant), Show(shown.reference, shown.subject)),
           signature);
  }

  void Record(std::string report, const std::string& signature) {
    const std::lock_guard lock(mutex_);
    if (!signatures_.insert(signature).second) {
      ++result_.repeated[signature];
      return;
    }
    if (on_failure_) on_failure_(report);
    result_.failures.push_back(std::move(report));
    if (result_.failures.size() >= plan_.most_failures) full_ = true;
  }

  void Count(const Comparison& comparison) {
    const std::lock_guard lock(mutex_);
    ++result_.compared;
    result_.runs = runs_;
    ++result_.statuses[comparison.reference.status];
    if (comparison.reference.timed_out) ++result_.reference_slow;
    if (!comparison.known.empty()) ++result_.explained[comparison.known];
    if (progress_ && result_.compared % 1000 == 0) progress_(result_.compared);
  }

  using Clock = std::chrono::steady_clock;

  const CampaignPlan& plan_;
  const Clock::time_point end_ = Clock::now() + plan_.time;
  const std::function<void(std::uint64_t)>& progress_;
  const std::function<void(const std::string&)>& on_failure_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> runs_ = 0;
  std::atomic<bool> full_ = false;
  std::vector<std::vector<std::string>> variants_;
  std::mutex mutex_;
  CampaignResult result_;             // guarded by mutex_
  std::set<std::string> signatures_;  // guarded by mutex_
};

}  // namespace

CampaignResult RunCampaign(const CampaignPlan& plan,
                           const std::function<void(std::uint64_t)>& progress,
                           const std::function<void(const std::string&)>& on_failure) {
  return Campaign(plan, progress, on_failure).Run();
}

std::vector<std::vector<std::string>> IoVariants() {
  return {{},
          {"--read"},
          {"--mmap"},
          {"--io=read:buffer=4K"},
          {"--io=read:buffer=64K", "-j4"},
          {"--io=mmap:window=64K", "-j2"},
          {"--mmap", "-j1"},
          {"--read", "-j2"},
          {"-j4", "--io=read:buffer=4K"},
          {"--io=read:buffer=1M", "-j2"},
          {"--io=mmap:window=1M,populate"},
          {"--io=uring:buffer=4K,depth=3", "-j2"},
          {"--io=uring"},
          {"--io=direct:buffer=4K,depth=2", "-j4"},
          {"--io=direct:buffer=1M"},
          {"--io=uring:buffer=64K,depth=2,direct", "-j2"},
          {"--cache=keep", "-j2"},
          {"--cache=drop"},
          {"--io=uring:buffer=64K", "--cache=drop", "-j4"},
          {"--io=read:buffer=4K", "--cache=keep"}};
}

}  // namespace differential
