#include "match/line_automaton.h"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

namespace mr::match {
namespace {

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

  // A state is the set of positions whose bytes have just been read, or the beginning of a line; in
  // all of them a match may begin.
  struct Subset {
    bool at_begin = false;
    Positions positions;
    auto operator<=>(const Subset&) const = default;
  };
  std::map<Subset, State> known{{Subset{true, {}}, 0}};
  std::vector<Subset> states{Subset{true, {}}};
  constexpr State kMatchForNow = 0xffff;
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::vector<bool> may_follow(positions.states.size());
    bool matches_at_end = states[i].at_begin && positions.empty_line;
    for (const auto p : positions.first) may_follow[p] = true;
    if (states[i].at_begin) {
      for (const auto p : positions.first_at_begin) may_follow[p] = true;
    }
    for (const auto p : states[i].positions) {
      for (const auto q : positions.states[p].next) may_follow[q] = true;
      matches_at_end = matches_at_end || positions.states[p].last_at_end;
    }
    for (const std::size_t byte : sample) {
      if (byte == static_cast<unsigned char>(terminator)) {
        result.next.push_back(matches_at_end ? kMatchForNow : result.start);
        continue;
      }
      Subset read;
      bool matched = false;
      for (std::size_t p = 0; p < may_follow.size(); ++p) {
        if (!may_follow[p] || !positions.states[p].bytes[byte]) continue;
        read.positions.push_back(static_cast<Positions::value_type>(p));
        matched = matched || positions.states[p].last;
      }
      if (matched) {
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

}  // namespace mr::match
