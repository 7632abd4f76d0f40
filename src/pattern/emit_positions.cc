#include "pattern/emit_positions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pattern/analyze.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;
using Position = PositionAutomaton::Position;
using Positions = std::vector<Position>;

constexpr char32_t kLastAscii = 0x7f;
constexpr std::uint64_t kMostSpelledOut = 8;  // characters beyond ASCII written out one by one
constexpr std::size_t kMostPositions = 600;

struct TooLarge {};

void Unite(Positions& into, const Positions& more) {
  Positions all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into = std::move(all);
}

// A part of the expression: where it can begin and end, and whether it can be empty.
struct Part {
  Positions first;
  Positions last;
  bool nullable = true;
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
        return Sequence(node, 0, node.children.size());
      case Kind::kAlternate: {
        Part all = Build(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
          all = Either(std::move(all), Build(node.children[i]));
        }
        return all;
      }
      case Kind::kRepeat:
        return Repeat(node.children[0], node.min, node.max);
      case Kind::kAssert:
      case Kind::kBackReference:
        break;  // EmitPositions has refused them
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
        return Repeat(node.children[0], std::max(node.min, 1), std::max(node.min, 1));
      case Kind::kConcat: {
        std::size_t begin = 0;
        std::size_t end = node.children.size();
        while (begin < end && IsNullable(node.children[begin])) ++begin;
        while (end > begin && IsNullable(node.children[end - 1])) --end;
        return Sequence(node, begin, end, true);
      }
      default:
        return Build(node);
    }
  }

  PositionAutomaton Finish(Part whole) && {
    result_.first = std::move(whole.first);
    for (const Position p : whole.last) result_.states[p].last = true;
    return std::move(result_);
  }

 private:
  Part One(const std::bitset<256>& bytes) {
    if (result_.states.size() == kMostPositions) throw TooLarge();
    const auto position = static_cast<Position>(result_.states.size());
    result_.states.push_back({bytes, {}, false});
    return {{position}, {position}, false};
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
    if (high.size() > kMostSpelledOut) {
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

  // The children [begin, end); `trimmed`: those at the ends are.
  Part Sequence(const Node& node, std::size_t begin, std::size_t end, bool trimmed = false) {
    Part all;
    for (std::size_t i = begin; i < end; ++i) {
      const Node& child = node.children[i];
      const bool outer = trimmed && (i == begin || i + 1 == end) && child.kind == Kind::kRepeat;
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
      copy.nullable = true;
      return copy;
    }
    for (int i = min; i < max; ++i) {
      Part copy = Build(child);
      if (result_.states.size() == states) return copy;
      copy.nullable = true;
      all = Then(std::move(all), std::move(copy));
    }
    return all;
  }

  void Follow(const Part& a, const Part& b) {
    for (const Position p : a.last) Unite(result_.states[p].next, b.first);
  }

  Part Then(Part a, Part b) {
    Follow(a, b);
    if (a.nullable) Unite(a.first, b.first);
    if (b.nullable) Unite(b.last, a.last);
    return {std::move(a.first), std::move(b.last), a.nullable && b.nullable};
  }

  static Part Either(Part a, Part b) {
    Unite(a.first, b.first);
    Unite(a.last, b.last);
    a.nullable = a.nullable || b.nullable;
    return a;
  }

  const Alphabet& alphabet_;
  PositionAutomaton result_;
};

}  // namespace

std::optional<PositionAutomaton> EmitPositions(const Node& tree, const Alphabet& alphabet,
                                               char terminator) {
  const Contents contents = Inspect(tree);
  if (IsNullable(tree) || contents.any_assertion() || contents.back_references) {
    return std::nullopt;
  }
  try {
    Builder builder(alphabet);
    PositionAutomaton automaton = [&] {
      Part whole = builder.BuildTrimmed(tree);
      return std::move(builder).Finish(std::move(whole));
    }();
    for (PositionAutomaton::State& state : automaton.states) {
      state.bytes.reset(static_cast<unsigned char>(terminator));
    }
    return automaton;
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

}  // namespace mr::pattern
