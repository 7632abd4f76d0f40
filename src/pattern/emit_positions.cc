#include "pattern/emit_positions.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "pattern/analyze.h"
#include "pattern/utf8_ranges.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;
using Position = PositionAutomaton::Position;
using Step = PositionAutomaton::Step;
using Steps = std::vector<Step>;  // each position once, in order

constexpr std::size_t kMostPositions = 600;

struct TooLarge {};
struct MatchesEverywhere {};

void Unite(Steps& into, const Steps& more) {
  Steps all;
  all.reserve(into.size() + more.size());
  auto a = into.begin();
  for (const Step& step : more) {
    while (a != into.end() && a->to < step.to) all.push_back(*a++);
    all.push_back(step);
    if (a != into.end() && a->to == step.to) all.back().at |= a++->at;
  }
  all.insert(all.end(), a, into.end());
  into = std::move(all);
}

// Only where `places` are, too.
Steps Within(Steps steps, Places places) {
  for (Step& step : steps) step.at &= places;
  std::erase_if(steps, [](const Step& step) { return step.at == kNowhere; });
  return steps;
}

Places PlacesOf(Assertion assertion) {
  const auto holds = [assertion](Side before, Side behind) {
    const bool word_before = before == Side::kWord;
    const bool word_behind = behind == Side::kWord;
    switch (assertion) {
      case Assertion::kLineBegin:
      case Assertion::kBufferBegin:
        return before == Side::kEdge;
      case Assertion::kLineEnd:
      case Assertion::kBufferEnd:
        return behind == Side::kEdge;
      case Assertion::kWordBegin:
        return !word_before && word_behind;
      case Assertion::kWordEnd:
        return word_before && !word_behind;
      case Assertion::kWordBoundary:
        return word_before != word_behind;
      case Assertion::kNotWordBoundary:
        return word_before == word_behind;
    }
    return true;
  };
  Places places = kNowhere;
  for (const Side before : {Side::kEdge, Side::kOther, Side::kWord}) {
    for (const Side behind : {Side::kEdge, Side::kOther, Side::kWord}) {
      if (holds(before, behind)) places |= Between(before, behind);
    }
  }
  return places;
}

// Whether every line has such a place: where it begins, or where it ends.
bool InEveryLine(Places places) {
  return Holds(places, Side::kEdge) ||
         (Holds(places, Side::kEdge, Side::kEdge) && Holds(places, Side::kOther, Side::kEdge) &&
          Holds(places, Side::kWord, Side::kEdge));
}

// A part of the expression: where it can begin and end, and where it can be empty.
struct Part {
  Steps first;
  Steps last;  // where a match that ends with the position may end
  Places empty = kEverywhere;
};

class Builder {
 public:
  Builder(const Alphabet& alphabet, Unsayable unsayable, LargeClasses classes)
      : alphabet_(alphabet),
        relaxed_(unsayable == Unsayable::kRelaxed),
        widens_(classes == LargeClasses::kWidened) {}

  Part Build(const Node& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        return {};
      case Kind::kLiteral:
        return Bytes(node.literal);
      case Kind::kSet:
        return relaxed_ && node.left_to_c_library ? Anything() : Set(*node.set);
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
      case Kind::kAssert:
        return Assert(node.assertion);
      case Kind::kBackReference:
        return Anything();
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
    for (const Step& step : whole.last) result_.states[step.to].last = step.at;
    result_.empty = whole.empty;
    return std::move(result_);
  }

 private:
  Part One(const std::bitset<256>& bytes) {
    if (result_.states.size() == kMostPositions) throw TooLarge();
    const auto position = static_cast<Position>(result_.states.size());
    result_.states.push_back({bytes, {}, kNowhere});
    return {{{position, kEverywhere}}, {{position, kEverywhere}}, kNowhere};
  }

  Part One(ByteRange range) {
    std::bitset<256> bytes;
    for (unsigned byte = range.first; byte <= range.last; ++byte) bytes.set(byte);
    return One(bytes);
  }

  Part Anything() {
    result_.exact = result_.exact_on_ascii = false;
    Part run = One(std::bitset<256>().set());
    Follow(run, run);
    run.empty = kEverywhere;
    return run;
  }

  Part Assert(Assertion assertion) {
    Part part;
    if (assertion < Assertion::kWordBegin || alphabet_.single_bytes()) {
      part.empty = PlacesOf(assertion);
    } else {
      result_.exact = result_.exact_on_ascii = false;
    }
    if (assertion >= Assertion::kWordBegin && result_.word.none() && alphabet_.single_bytes()) {
      for (std::size_t byte = 0; byte < result_.word.size(); ++byte) {
        result_.word[byte] = alphabet_.IsWord(static_cast<char32_t>(byte));
      }
    }
    return part;
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
    if (high.size() > kFewCharacters && !widens_) {
      for (const CharRange& r : high.ranges()) {
        for (const Utf8Range& range : Utf8Ranges(r, alphabet_)) {
          Part character;
          for (const ByteRange& byte : range) character = Then(std::move(character), One(byte));
          all = Either(std::move(all), character);
        }
      }
      return all;
    }
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
      copy.empty = kEverywhere;
      return copy;
    }
    for (int i = min; i < max; ++i) {
      Part copy = Build(child);
      if (result_.states.size() == states) return {};
      copy.empty = kEverywhere;
      all = Then(std::move(all), std::move(copy));
    }
    return all;
  }

  void Follow(const Part& a, const Part& b) {
    for (const Step& end : a.last) {
      Unite(result_.states[end.to].next, Within(b.first, end.at));
    }
  }

  Part Then(Part a, Part b) {
    Follow(a, b);
    Part both;
    both.first = std::move(a.first);
    Unite(both.first, Within(std::move(b.first), a.empty));
    both.last = std::move(b.last);
    Unite(both.last, Within(std::move(a.last), b.empty));
    both.empty = a.empty & b.empty;
    return both;
  }

  static Part Either(Part a, const Part& b) {
    Unite(a.first, b.first);
    Unite(a.last, b.last);
    a.empty |= b.empty;
    return a;
  }

  const Alphabet& alphabet_;
  const bool relaxed_;
  const bool widens_;
  PositionAutomaton result_;
};

}  // namespace

std::optional<PositionAutomaton> EmitPositions(const Node& tree, const Alphabet& alphabet,
                                               char terminator, Unsayable unsayable,
                                               LargeClasses classes) {
  const Contents contents = Inspect(tree);
  if (unsayable == Unsayable::kRefused && (contents.word_assertions || contents.back_references ||
                                           (contents.line_assertions && terminator != '\n'))) {
    return std::nullopt;
  }
  try {
    Builder builder(alphabet, unsayable, classes);
    PositionAutomaton automaton = [&] {
      Part whole = builder.BuildTrimmed(tree);
      if (unsayable == Unsayable::kRefused && InEveryLine(whole.empty)) throw MatchesEverywhere();
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
