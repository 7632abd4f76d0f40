#include "pattern/emit_positions.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "pattern/analyze.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;
using Position = PositionAutomaton::Position;
using Positions = std::vector<Position>;

constexpr std::size_t kMostPositions = 600;

struct TooLarge {};
struct MatchesEverywhere {};

void Unite(Positions& into, const Positions& more) {
  Positions all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into = std::move(all);
}

// What has to hold where a part of the expression matches the empty string, as a set of bits.
enum Condition : unsigned { kNone = 0, kAtBegin = 1, kAtEnd = 2 };

// A set of such conditions: bit c is set for condition c.
using Conditions = unsigned;
constexpr Conditions kNever = 0;
constexpr Conditions kAlways = 1u << kNone;

// Where one part after another is empty, both conditions have to hold.
Conditions Both(Conditions a, Conditions b) {
  Conditions both = kNever;
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned d = 0; d < 4; ++d) {
      if ((a >> c & 1) != 0 && (b >> d & 1) != 0) both |= 1u << (c | d);
    }
  }
  return both;
}

bool Allows(Conditions conditions, unsigned condition) {
  return (conditions >> condition & 1) != 0;
}

// A part of the expression: where it can begin and end, anywhere or at the line's beginning or end
// only, and when it can be empty.
struct Part {
  Positions first;
  Positions first_at_begin;
  Positions last;
  Positions last_at_end;
  Conditions empty = kAlways;
};

class Builder {
 public:
  explicit Builder(const Alphabet& alphabet) : alphabet_(alphabet) {}

  Part Build(const Node& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        return {};
      case Kind::kLiteral:
        return Bytes(node.literal);
      case Kind::kSet:
        return Set(*node.set);
      case Kind::kConcat:
        return Sequence(node.children, false);
      case Kind::kAlternate: {
        Part all = Build(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
          all = Either(std::move(all), Build(node.children[i]));
        }
        return all;
      }
      case Kind::kRepeat:
        return Repeat(node.children[0], node.min, node.max);
      case Kind::kAssert: {
        const bool begin =
            node.assertion == Assertion::kLineBegin || node.assertion == Assertion::kBufferBegin;
        Part part;
        part.empty = 1u << (begin ? kAtBegin : kAtEnd);
        return part;
      }
      case Kind::kBackReference:
        break;  // EmitPositions has refused it
    }
    return {};
  }

  // As Build, but without what may be missing at either end: that a match exists does not depend
  // on it, and it is found earlier.
  Part BuildTrimmed(const Node& node) {
    switch (node.kind) {
      case Kind::kAlternate: {
        Part all = BuildTrimmed(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
          all = Either(std::move(all), BuildTrimmed(node.children[i]));
        }
        return all;
      }
      case Kind::kRepeat:
        if (node.min == 0) return Build(node);
        return Repeat(node.children[0], node.min, node.min);
      case Kind::kConcat:
        return Sequence(NeededChildren(node), true);
      default:
        return Build(node);
    }
  }

  PositionAutomaton Finish(Part whole) && {
    result_.first = std::move(whole.first);
    result_.first_at_begin = std::move(whole.first_at_begin);
    for (const Position p : whole.last) result_.states[p].last = true;
    for (const Position p : whole.last_at_end) result_.states[p].last_at_end = true;
    result_.empty_line = whole.empty != kNever;
    return std::move(result_);
  }

 private:
  Part One(const std::bitset<256>& bytes) {
    if (result_.states.size() == kMostPositions) throw TooLarge();
    const auto position = static_cast<Position>(result_.states.size());
    result_.states.push_back({bytes, {}, false});
    return {{position}, {}, {position}, {}, kNever};
  }

  Part Bytes(std::string_view bytes) {
    Part all;
    for (const char byte : bytes) {
      all = Then(std::move(all), One(std::bitset<256>().set(static_cast<unsigned char>(byte))));
    }
    return all;
  }

  Part Set(const CharSet& set) {
    const CharSet low = alphabet_.utf8() ? set.Intersect(CharSet(0, kLastAscii)) : set;
    const CharSet high = alphabet_.utf8() ? set.Subtract(low) : CharSet();
    std::bitset<256> bytes;
    for (const CharRange& r : low.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) bytes.set(c);
    }
    Part all = One(bytes);
    if (high.size() > kFewCharacters) {
      result_.exact = false;
      std::bitset<256> beyond;
      for (std::size_t c = kLastAscii + 1; c < 256; ++c) beyond.set(c);
      Part run = One(beyond);
      Follow(run, run);
      return Either(std::move(all), std::move(run));
    }
    for (const CharRange& r : high.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) {
        std::string encoded;
        alphabet_.Encode(c, encoded);
        all = Either(std::move(all), Bytes(encoded));
      }
    }
    return all;
  }

  // `trimmed`: those at the ends are.
  Part Sequence(std::span<const Node> children, bool trimmed) {
    Part all;
    for (const Node& child : children) {
      const bool at_end = &child == &children.front() || &child == &children.back();
      const bool outer = trimmed && at_end && child.kind == Kind::kRepeat;
      all = Then(std::move(all), outer ? BuildTrimmed(child) : Build(child));
    }
    return all;
  }

  Part Repeat(const Node& child, int min, int max) {
    Part all;
    const std::size_t states = result_.states.size();
    for (int i = 0; i < min; ++i) {
      Part copy = Build(child);
      if (result_.states.size() == states) return copy;  // reads nothing, however often
      if (i + 1 == min && max == Node::kUnlimited) Follow(copy, copy);
      all = Then(std::move(all), std::move(copy));
    }
    if (max == Node::kUnlimited) {
      if (min > 0) return all;
      Part copy = Build(child);
      Follow(copy, copy);
      copy.empty |= kAlways;
      return copy;
    }
    for (int i = min; i < max; ++i) {
      Part copy = Build(child);
      if (result_.states.size() == states) return copy;
      copy.empty |= kAlways;
      all = Then(std::move(all), std::move(copy));
    }
    return all;
  }

  void Follow(const Part& a, const Part& b) {
    for (const Position p : a.last) Unite(result_.states[p].next, b.first);
  }

  // What lies before a byte cannot be the end of the line, nor what lies behind one its beginning.
  Part Then(Part a, Part b) {
    Follow(a, b);
    Part both;
    both.first = std::move(a.first);
    both.first_at_begin = std::move(a.first_at_begin);
    if (Allows(a.empty, kNone)) {
      Unite(both.first, b.first);
      Unite(both.first_at_begin, b.first_at_begin);
    }
    if (Allows(a.empty, kAtBegin)) {
      Unite(both.first_at_begin, b.first);
      Unite(both.first_at_begin, b.first_at_begin);
    }
    both.last = std::move(b.last);
    both.last_at_end = std::move(b.last_at_end);
    if (Allows(b.empty, kNone)) {
      Unite(both.last, a.last);
      Unite(both.last_at_end, a.last_at_end);
    }
    if (Allows(b.empty, kAtEnd)) {
      Unite(both.last_at_end, a.last);
      Unite(both.last_at_end, a.last_at_end);
    }
    both.empty = Both(a.empty, b.empty);
    return both;
  }

  static Part Either(Part a, const Part& b) {
    Unite(a.first, b.first);
    Unite(a.first_at_begin, b.first_at_begin);
    Unite(a.last, b.last);
    Unite(a.last_at_end, b.last_at_end);
    a.empty |= b.empty;
    return a;
  }

  const Alphabet& alphabet_;
  PositionAutomaton result_;
};

}  // namespace

std::optional<PositionAutomaton> EmitPositions(const Node& tree, const Alphabet& alphabet,
                                               char terminator) {
  const Contents contents = Inspect(tree);
  if (contents.word_assertions || contents.back_references ||
      (contents.line_assertions && terminator != '\n')) {
    return std::nullopt;
  }
  try {
    Builder builder(alphabet);
    PositionAutomaton automaton = [&] {
      Part whole = builder.BuildTrimmed(tree);
      // Only the empty line both begins and ends where it is empty.
      if ((whole.empty & ~(1u << (kAtBegin | kAtEnd))) != 0) throw MatchesEverywhere();
      return std::move(builder).Finish(std::move(whole));
    }();
    for (PositionAutomaton::State& state : automaton.states) {
      state.bytes.reset(static_cast<unsigned char>(terminator));
    }
    return automaton;
  } catch (const TooLarge&) {
    return std::nullopt;
  } catch (const MatchesEverywhere&) {
    return std::nullopt;
  }
}

}  // namespace mr::pattern
