#include "match/line_automaton.h"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

namespace mr::match {
namespace {

using pattern::Places;
using pattern::Side;
using Positions = std::vector<pattern::PositionAutomaton::Position>;

// The table should stay in the first two levels of the cache; an automaton that grows beyond is
// likely one whose states double with each position.
constexpr std::size_t kMostEntries = std::size_t{1} << 15;

// Bytes that no position tells apart share a class. The terminator has one of its own.
std::size_t Classify(const pattern::PositionAutomaton& positions, unsigned char terminator,
                     std::array<std::uint8_t, 256>& classes) {
  std::map<std::string, std::uint8_t> known;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::string signature;
    for (const auto& state : positions.states) signature += state.bytes[byte] ? '1' : '0';
    signature += positions.word[byte] ? '1' : '0';
    if (byte == terminator) signature = "terminator";
    const auto next = static_cast<std::uint8_t>(known.size());
    classes[byte] = known.emplace(std::move(signature), next).first->second;
  }
  return known.size();
}

}  // namespace

std::optional<LineAutomaton> LineAutomaton::Make(const pattern::PositionAutomaton& positions,
                                                 char terminator) {
  LineAutomaton result;
  const std::size_t width =
      Classify(positions, static_cast<unsigned char>(terminator), result.classes);
  std::vector<std::size_t> sample(width);  // a byte of each class
  for (std::size_t byte = 0; byte < 256; ++byte) sample[result.classes[byte]] = byte;

  // A state is the set of positions whose bytes have just been read, or the beginning of a line,
  // and what kind of byte that was; in all of them a match may begin.
  struct Subset {
    Side before = Side::kEdge;
    Positions positions;
    auto operator<=>(const Subset&) const = default;
  };
  std::map<Subset, State> known{{Subset(), 0}};
  std::vector<Subset> states{Subset()};
  constexpr State kMatchForNow = 0xffff;
  std::vector<Places> may_follow(positions.states.size());  // where
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Side before = states[i].before;
    std::fill(may_follow.begin(), may_follow.end(), pattern::kNowhere);
    Places matched = positions.empty;
    for (const auto& step : positions.first) may_follow[step.to] |= step.at;
    for (const auto p : states[i].positions) {
      for (const auto& step : positions.states[p].next) may_follow[step.to] |= step.at;
      matched |= positions.states[p].last;
    }
    for (const std::size_t byte : sample) {
      const bool at_end = byte == static_cast<unsigned char>(terminator);
      const Side behind = at_end ? Side::kEdge : positions.word[byte] ? Side::kWord : Side::kOther;
      if (pattern::Holds(matched, before, behind)) {
        result.next.push_back(kMatchForNow);
        continue;
      }
      if (at_end) {
        result.next.push_back(result.start);
        continue;
      }
      Subset read;
      read.before = behind;
      Places ends = positions.empty;
      for (std::size_t p = 0; p < may_follow.size(); ++p) {
        if (!pattern::Holds(may_follow[p], before, behind)) continue;
        if (!positions.states[p].bytes[byte]) continue;
        read.positions.push_back(static_cast<Positions::value_type>(p));
        ends |= positions.states[p].last;
      }
      // Nothing that may follow is needed to know.
      if (pattern::Holds(ends, behind)) {
        result.next.push_back(kMatchForNow);
        continue;
      }
      const auto [place, is_new] = known.emplace(read, static_cast<State>(states.size() * width));
      if (is_new) states.push_back(std::move(read));
      if ((states.size() + 1) * width > kMostEntries) return std::nullopt;
      result.next.push_back(place->second);
    }
  }
  result.match = static_cast<State>(states.size() * width);
  std::replace(result.next.begin(), result.next.end(), kMatchForNow, result.match);
  result.next.insert(result.next.end(), width, result.match);
  return result;
}

bool LineAutomaton::Matches(std::string_view line, char terminator) const {
  State state = start;
  for (const char byte : line) {
    state = Step(state, byte);
    if (state == match) return true;
  }
  return Step(state, terminator) == match;
}

}  // namespace mr::match
