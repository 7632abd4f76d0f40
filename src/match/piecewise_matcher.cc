#include "match/piecewise_matcher.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mr::match {
namespace {

// On either side of a match: the characters that assertions look at, and the rest of one that a
// window has cut. Four bytes have the longest characters.
constexpr std::size_t kBesideBytes = 8;

class PiecewiseAutomaton final : public PiecewiseMatcher {
 public:
  PiecewiseAutomaton(const LineAutomaton& automaton, char terminator)
      : automaton_(automaton), terminator_(terminator) {}

  void BeginLine() override { state_ = automaton_.start; }

  bool Add(std::string_view piece) override {
    LineAutomaton::State state = state_;
    for (const char byte : piece) state = automaton_.Step(state, byte);
    state_ = state;
    return state == automaton_.match;
  }

  bool EndLine() override { return automaton_.Step(state_, terminator_) == automaton_.match; }

 private:
  const LineAutomaton& automaton_;
  const char terminator_;
  LineAutomaton::State state_ = 0;
};

class PiecewiseWindows final : public PiecewiseMatcher {
 public:
  PiecewiseWindows(std::unique_ptr<Matcher> matcher, std::unique_ptr<CandidateFinder> finder,
                   std::size_t longest_bytes, std::size_t window_bytes)
      : matcher_(std::move(matcher)),
        finder_(std::move(finder)),
        overlap_bytes_(longest_bytes + kBesideBytes),
        window_bytes_(std::max(window_bytes, 4 * (overlap_bytes_ + kBesideBytes))) {}

  void BeginLine() override {
    window_.clear();
    from_ = 0;
  }

  bool Add(std::string_view piece) override {
    while (!piece.empty()) {
      const std::size_t fits = std::min(piece.size(), window_bytes_ - window_.size());
      window_.append(piece.substr(0, fits));
      piece.remove_prefix(fits);
      if (window_.size() < window_bytes_) break;
      if (Search(window_.size() - kBesideBytes)) return true;
      Slide();
    }
    return false;
  }

  bool EndLine() override { return Search(window_.size()); }

 private:
  // Whether there is a match that ends up to `sure_to`. One that ends behind it may owe that to the
  // end of the window.
  bool Search(std::size_t sure_to) {
    if (finder_ != nullptr && !MayHoldMatch()) return false;
    const std::optional<Span> match = matcher_->Find(window_, from_);
    return match && match->end <= sure_to;
  }

  bool MayHoldMatch() {
    bool found = false;
    finder_->Scan(window_, [&](std::size_t) {
      found = true;
      return kStop;
    });
    return found;
  }

  // A match that has not been seen ends in the last bytes of the window or behind them. The next
  // window begins with what precedes it, and matches begin with a character.
  void Slide() {
    const auto continues = [&](std::size_t at) { return (window_[at] & 0xc0) == 0x80; };
    std::size_t from = window_.size() - overlap_bytes_;
    for (int i = 0; i < 3 && continues(from); ++i) --from;
    window_.erase(0, from - kBesideBytes);
    from_ = kBesideBytes;
  }

  const std::unique_ptr<Matcher> matcher_;
  const std::unique_ptr<CandidateFinder> finder_;
  const std::size_t overlap_bytes_;
  const std::size_t window_bytes_;
  std::string window_;
  std::size_t from_ = 0;  // where matches may begin
};

}  // namespace

std::unique_ptr<PiecewiseMatcher> NewPiecewiseAutomaton(const LineAutomaton& automaton,
                                                        char terminator) {
  return std::make_unique<PiecewiseAutomaton>(automaton, terminator);
}

std::unique_ptr<PiecewiseMatcher> NewPiecewiseWindows(std::unique_ptr<Matcher> matcher,
                                                      std::unique_ptr<CandidateFinder> finder,
                                                      std::size_t longest_bytes,
                                                      std::size_t window_bytes) {
  return std::make_unique<PiecewiseWindows>(std::move(matcher), std::move(finder), longest_bytes,
                                            window_bytes);
}

}  // namespace mr::match
