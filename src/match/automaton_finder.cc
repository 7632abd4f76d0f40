// An automaton waits for its table at every byte: the next state is needed to ask for the one after
// it. So a block is cut into segments of whole lines, and eight of them are read in turns, byte by
// byte; while one waits, the others go on. (M. Mytkowicz et al., "Data-parallel finite-state
// machines", ASPLOS 2014, gain from the same.)
//
// A match is noticed only after some bytes, by an automaton that stays in its last state; then
// these bytes are read once more to see where it was. What follows in that line is passed over.
#include "match/automaton_finder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace mr::match {
namespace {

using State = LineAutomaton::State;

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStride = 32;  // bytes between looks at the states
constexpr std::size_t kMostSegmentBytes = std::size_t{8} << 10;
constexpr std::size_t kLeastSegmentBytes = 256;

class AutomatonFinder final : public CandidateFinder {
 public:
  explicit AutomatonFinder(const AutomatonPlan& plan) : plan_(plan) {}

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    block_ = block;
    // All lanes are to have work until near the end, in small files too.
    segment_bytes_ = std::clamp(block.size() / (2 * kLanes), kLeastSegmentBytes, kMostSegmentBytes);
    taken_ = 0;
    segments_ = 0;
    reported_ = 0;
    unread_ = 0;
    stopped_ = false;
    for (Lane& lane : lanes_) TakeSegment(lane);
    while (std::all_of(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return lane.segment != kNone; })) {
      ReadInTurns();
      for (Lane& lane : lanes_) {
        if (static_cast<std::size_t>(lane.end - lane.at) < kStride) FinishSegment(lane, found);
      }
      if (stopped_) return block.size();
    }
    for (Lane& lane : lanes_) {
      if (lane.segment != kNone) ReadRest(lane);
    }
    Report(found, segments_);
    return block.size();
  }

  bool exact() const override { return plan_.exact; }
  bool exact_on_ascii() const override { return plan_.exact_on_ascii; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Lane {
    const char* at = nullptr;
    const char* end = nullptr;
    State state = 0;
    std::size_t segment = kNone;
  };

  State Step(State state, char byte) const { return plan_.automaton.Step(state, byte); }

  void TakeSegment(Lane& lane) {
    if (taken_ == block_.size()) {
      lane.segment = kNone;
      return;
    }
    std::size_t end = block_.size();
    if (end - taken_ > segment_bytes_) {
      const std::size_t last = block_.find(plan_.terminator, taken_ + segment_bytes_ - 1);
      if (last != std::string_view::npos) end = last + 1;
    }
    lane = {block_.data() + taken_, block_.data() + end, plan_.automaton.start, segments_};
    taken_ = end;
    if (places_.size() == segments_) places_.emplace_back();
    places_[segments_++].clear();
  }

  // Until a lane has less than a stride left.
  void ReadInTurns() {
    const State match = plan_.automaton.match;
    while (true) {
      std::array<const char*, kLanes> at;
      std::array<State, kLanes> state;
      for (std::size_t i = 0; i < kLanes; ++i) {
        at[i] = lanes_[i].at;
        state[i] = lanes_[i].state;
        if (static_cast<std::size_t>(lanes_[i].end - at[i]) < kStride) return;
      }
      for (std::size_t byte = 0; byte < kStride; ++byte) {
        for (std::size_t i = 0; i < kLanes; ++i) state[i] = Step(state[i], at[i][byte]);
      }
      for (std::size_t i = 0; i < kLanes; ++i) {
        if (state[i] == match) {
          PassMatch(lanes_[i]);
        } else {
          lanes_[i].at += kStride;
          lanes_[i].state = state[i];
        }
      }
    }
  }

  // The lane is about to meet a match. Goes behind the line that holds it.
  void PassMatch(Lane& lane) {
    const char* at = lane.at;
    for (State state = lane.state; (state = Step(state, *at)) != plan_.automaton.match;) ++at;
    places_[lane.segment].push_back(static_cast<std::size_t>(at - block_.data()));
    const void* end = std::memchr(at, plan_.terminator, static_cast<std::size_t>(lane.end - at));
    lane.at = end == nullptr ? lane.end : static_cast<const char*>(end) + 1;
    lane.state = plan_.automaton.start;
  }

  void ReadRest(Lane& lane) {
    while (lane.at != lane.end) {
      const State state = Step(lane.state, *lane.at);
      if (state == plan_.automaton.match) {
        PassMatch(lane);
      } else {
        ++lane.at;
        lane.state = state;
      }
    }
    // A last line without terminator ends all the same.
    if (lane.end == block_.data() + block_.size() && block_.back() != plan_.terminator &&
        lane.state != plan_.automaton.start &&
        Step(lane.state, plan_.terminator) == plan_.automaton.match) {
      places_[lane.segment].push_back(block_.size() - 1);
    }
  }

  void FinishSegment(Lane& lane, CandidateSink found) {
    ReadRest(lane);
    TakeSegment(lane);
    // Segments before all that are being read are complete.
    std::size_t oldest = segments_;
    for (const Lane& other : lanes_) {
      if (other.segment != kNone) oldest = std::min(oldest, other.segment);
    }
    Report(found, oldest);
  }

  void Report(CandidateSink found, std::size_t end) {
    for (; reported_ < end && !stopped_; ++reported_) {
      for (const std::size_t place : places_[reported_]) {
        if (place < unread_) continue;
        unread_ = found(place);
        stopped_ = unread_ == kStop;
        if (stopped_) break;
      }
    }
  }

  const AutomatonPlan& plan_;
  std::string_view block_;
  std::size_t segment_bytes_ = 0;
  std::size_t taken_ = 0;     // bytes given to lanes
  std::size_t segments_ = 0;  // of these
  std::size_t reported_ = 0;  // segments
  std::size_t unread_ = 0;    // what the sink is interested in begins here
  bool stopped_ = false;
  std::array<Lane, kLanes> lanes_;
  std::vector<std::vector<std::size_t>> places_;  // of matches, by segment
};

}  // namespace

std::unique_ptr<CandidateFinder> NewAutomatonFinder(const AutomatonPlan& plan) {
  return std::make_unique<AutomatonFinder>(plan);
}

}  // namespace mr::match
