#include "match/adaptive_finder.h"

#include <cstdint>
#include <utility>

namespace mr::match {
namespace {

// With one candidate in so many bytes, or more, an automaton that reads all of them in eight lanes
// costs less than the exact engine does, line by line.
constexpr std::uint64_t kDenseBytes = 256;

// So many bytes tell whether candidates are dense, and compiling an automaton costs less than the
// exact engine does for them if they are.
constexpr std::uint64_t kTellingBytes = std::uint64_t{64} << 10;

// A file has many parts: after so many scans by the automaton the finder is tried again.
constexpr int kScansUntilRetrial = 64;

class AdaptiveFinder final : public CandidateFinder {
 public:
  AdaptiveFinder(std::unique_ptr<CandidateFinder> finder,
                 std::function<const AutomatonPlan*()> plan)
      : finder_(std::move(finder)), ask_for_plan_(std::move(plan)) {}

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    if (scans_left_ > 0) {
      const std::size_t end = automaton_->Scan(block, found);
      if (--scans_left_ == 0) bytes_ = candidates_ = 0;
      return end;
    }
    const std::size_t end = finder_->Scan(block, [&](std::size_t at) {
      ++candidates_;
      return found(at);
    });
    bytes_ += end;
    if (bytes_ >= kTellingBytes) {
      if (candidates_ * kDenseBytes >= bytes_ && HasAutomaton()) scans_left_ = kScansUntilRetrial;
      bytes_ = candidates_ = 0;
    }
    return end;
  }

  bool stops_at_nul() const override { return current().stops_at_nul(); }
  bool exact() const override { return current().exact(); }
  bool exact_on_ascii() const override { return current().exact_on_ascii(); }

 private:
  const CandidateFinder& current() const { return scans_left_ > 0 ? *automaton_ : *finder_; }

  bool HasAutomaton() {
    if (ask_for_plan_) {
      const AutomatonPlan* const plan = std::exchange(ask_for_plan_, nullptr)();
      if (plan != nullptr) automaton_ = NewAutomatonFinder(*plan);
    }
    return automaton_ != nullptr;
  }

  const std::unique_ptr<CandidateFinder> finder_;
  std::function<const AutomatonPlan*()> ask_for_plan_;  // null when it has been asked
  std::unique_ptr<CandidateFinder> automaton_;
  std::uint64_t bytes_ = 0;  // scanned by the finder, and what it found
  std::uint64_t candidates_ = 0;
  int scans_left_ = 0;  // by the automaton
};

}  // namespace

std::unique_ptr<CandidateFinder> NewAdaptiveFinder(std::unique_ptr<CandidateFinder> finder,
                                                   std::function<const AutomatonPlan*()> plan) {
  return std::make_unique<AdaptiveFinder>(std::move(finder), std::move(plan));
}

}  // namespace mr::match
