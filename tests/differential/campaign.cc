#include "differential/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "differential/case_generator.h"
#include "differential/compare.h"
#include "differential/shrink.h"

namespace differential {
namespace {

// What the two programs did with a case, and how they differ.
struct Comparison {
  RunResult reference;
  RunResult subject;
  std::vector<std::string> variant;
  Aspect aspect = Aspect::kNone;
  const KnownDifference* known = nullptr;
};

std::string Show(const RunResult& result) {
  constexpr std::size_t kLongest = 1500;
  auto cut = [](const std::string& bytes) {
    const std::string quoted = Quote(bytes.substr(0, kLongest));
    return bytes.size() > kLongest
               ? quoted + fmt::format(" and {} bytes more", bytes.size() - kLongest)
               : quoted;
  };
  return fmt::format("  status {}{}\n  stdout {}\n  stderr {}\n", result.status,
                     result.timed_out ? " (killed at the time limit)" : "", cut(result.output),
                     cut(result.errors));
}

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, const std::function<void(std::uint64_t)>& progress)
      : plan_(plan), progress_(progress) {}

  CampaignResult Run() {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1U, plan_.threads); ++i) {
      workers.emplace_back([this] { Work(); });
    }
    workers.clear();
    return std::move(result_);
  }

 private:
  void Work() {
    Runner runner;
    for (;;) {
      const std::uint64_t index = next_++;
      if (index >= plan_.cases || full_) return;
      const Case test_case = MakeCase(plan_.seed, plan_.first + index);
      if (LeftOut(test_case)) {
        const std::lock_guard lock(mutex_);
        ++result_.left_out;
        continue;
      }
      const Comparison comparison = Compare(runner, test_case, Variants(test_case.number));
      if (comparison.aspect != Aspect::kNone && comparison.known == nullptr) {
        ReportFailure(runner, test_case, comparison);
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
    if (plan_.all_variants) return plan_.variants;
    return {plan_.variants[number % plan_.variants.size()]};
  }

  // Stops at the first variant that differs.
  Comparison Compare(Runner& runner, const Case& test_case,
                     const std::vector<std::vector<std::string>>& variants) {
    Comparison comparison;
    runner.Prepare(test_case);
    comparison.reference = runner.Run(plan_.reference, test_case);
    ++runs_;
    for (const auto& variant : variants) {
      comparison.variant = variant;
      comparison.subject = runner.Run({.path = plan_.subject, .leading = variant}, test_case);
      ++runs_;
      comparison.aspect = FirstDifference(comparison.reference, comparison.subject);
      if (comparison.aspect != Aspect::kNone) {
        comparison.known = Explain(test_case, comparison.reference, comparison.subject);
        break;
      }
    }
    return comparison;
  }

  void ReportFailure(Runner& runner, const Case& test_case, const Comparison& found) {
    // Without the variant's arguments if the difference is there without them.
    std::vector<std::string> variant;
    auto fails = [&](const Case& candidate) {
      const Comparison comparison = Compare(runner, candidate, {variant});
      return comparison.aspect == found.aspect && comparison.known == nullptr;
    };
    if (!fails(test_case)) variant = found.variant;
    if (!fails(test_case)) {
      Record(fmt::format("case {} differs at times only ({})\n{}reference:\n{}subject:\n{}",
                         test_case.number, AspectName(found.aspect),
                         ShellScript(test_case, "mrgrep", found.variant), Show(found.reference),
                         Show(found.subject)),
             "differs at times only");
      return;
    }
    const Case small = Shrink(test_case, fails);
    const Comparison comparison = Compare(runner, small, {variant});
    std::string signature = std::string(AspectName(found.aspect));
    for (const auto& option : small.options) signature += " " + option;
    for (const auto& pattern : small.patterns) signature += " " + Quote(pattern);
    Record(fmt::format("case {}: {} differs\n{}reference:\n{}subject:\n{}", test_case.number,
                       AspectName(found.aspect), ShellScript(small, "mrgrep", variant),
                       Show(comparison.reference), Show(comparison.subject)),
           signature);
  }

  void Record(std::string report, const std::string& signature) {
    const std::lock_guard lock(mutex_);
    if (!signatures_.insert(signature).second) {
      ++result_.repeated[signature];
      return;
    }
    result_.failures.push_back(std::move(report));
    if (result_.failures.size() >= plan_.most_failures) full_ = true;
  }

  void Count(const Comparison& comparison) {
    const std::lock_guard lock(mutex_);
    ++result_.compared;
    result_.runs = runs_;
    ++result_.statuses[comparison.reference.status];
    if (comparison.reference.timed_out) ++result_.reference_slow;
    if (comparison.known != nullptr) ++result_.explained[std::string(comparison.known->name)];
    if (progress_ && result_.compared % 1000 == 0) progress_(result_.compared);
  }

  const CampaignPlan& plan_;
  const std::function<void(std::uint64_t)>& progress_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> runs_ = 0;
  std::atomic<bool> full_ = false;
  std::mutex mutex_;
  CampaignResult result_;             // guarded by mutex_
  std::set<std::string> signatures_;  // guarded by mutex_
};

}  // namespace

CampaignResult RunCampaign(const CampaignPlan& plan,
                           const std::function<void(std::uint64_t)>& progress) {
  return Campaign(plan, progress).Run();
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
          {"-j4", "--io=read:buffer=4K"}};
}

}  // namespace differential
