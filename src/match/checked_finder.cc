#include "match/checked_finder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mr::match {
namespace {

class CheckedFinder final : public CandidateFinder {
 public:
  CheckedFinder(std::unique_ptr<CandidateFinder> finder, const AutomatonPlan& plan)
      : finder_(std::move(finder)), plan_(plan) {}

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    std::size_t settled = 0;  // lines before this are decided
    const auto check = [&](std::size_t at) -> std::size_t {
      if (at < settled) return settled;
      const void* before = ::memrchr(block.data(), plan_.terminator, at);
      const std::size_t begin =
          before == nullptr ? 0 : static_cast<const char*>(before) - block.data() + 1;
      const std::size_t end = std::min(block.find(plan_.terminator, at), block.size());
      if (!Matches(block.substr(begin, end - begin))) return settled = end + 1;
      return settled = found(at);
    };
    return finder_->Scan(block, check);
  }

  bool stops_at_nul() const override { return finder_->stops_at_nul(); }
  bool exact() const override { return plan_.exact; }
  bool exact_on_ascii() const override { return plan_.exact_on_ascii; }

 private:
  bool Matches(std::string_view line) const {
    const LineAutomaton& automaton = plan_.automaton;
    LineAutomaton::State state = automaton.start;
    for (const char byte : line) {
      state = automaton.Step(state, byte);
      if (state == automaton.match) return true;
    }
    return automaton.Step(state, plan_.terminator) == automaton.match;
  }

  std::unique_ptr<CandidateFinder> finder_;
  const AutomatonPlan& plan_;
};

}  // namespace

std::unique_ptr<CandidateFinder> NewCheckedFinder(std::unique_ptr<CandidateFinder> finder,
                                                  const AutomatonPlan& plan) {
  return std::make_unique<CheckedFinder>(std::move(finder), plan);
}

}  // namespace mr::match
