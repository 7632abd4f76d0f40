// A superset over bytes. UTF-8 never enters: searched text may hold anything, and an automaton
// told otherwise is undefined on it. Instead a class with more than a few characters beyond ASCII
// takes a run of any bytes above 0x7f for one of them.
//
// Word boundaries are kept only where the automaton's idea of them, which knows ASCII words only,
// errs on the generous side: before and behind an ASCII word character, \b holds for it wherever
// no ASCII word character is adjacent, and so in every place where \b, \< or \> really hold; and
// likewise \B beside an ASCII character that is not part of a word. Elsewhere they are left out.
#include "pattern/emit_superset.h"

#include <fmt/format.h>

#include <algorithm>

#include "pattern/analyze.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

// Compiling takes about a millisecond per thousand positions at first, then grows much faster.
constexpr std::size_t kMaxPositions = 3000;

void AppendByte(std::string& out, unsigned char byte) {
  if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
      (byte >= 'A' && byte <= 'Z') || byte == '_') {
    out += static_cast<char>(byte);
  } else {
    out += fmt::format("\\x{:02x}", byte);
  }
}

class SupersetEmitter {
 public:
  SupersetEmitter(const Alphabet& alphabet, char terminator)
      : alphabet_(alphabet), terminator_(terminator), word_('0', '9') {
    word_.Add('A', 'Z');
    word_.Add('_');
    word_.Add('a', 'z');
  }

  // `factor`: how many copies of the node all repeats around it make.
  void Emit(const Node& node, std::size_t factor) {
    switch (node.kind) {
      case Kind::kEmpty:
        result_.text += "(?:)";
        break;
      case Kind::kLiteral:
        for (const char c : node.literal) AppendByte(result_.text, static_cast<unsigned char>(c));
        Count(factor * node.literal.size());
        break;
      case Kind::kSet:
        EmitSet(*node.set, factor);
        break;
      case Kind::kAssert:
        EmitAssertion(node.assertion, nullptr, 0);
        break;
      case Kind::kBackReference:
        result_.text += fmt::format("[^\\x{:02x}]*", static_cast<unsigned char>(terminator_));
        Count(factor);
        break;
      case Kind::kConcat:
        for (std::size_t i = 0; i < node.children.size(); ++i) EmitPart(node, i, factor);
        break;
      case Kind::kAlternate:
        result_.text += "(?:";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) result_.text += '|';
          Emit(node.children[i], factor);
        }
        result_.text += ')';
        break;
      case Kind::kRepeat:
        EmitRepeat(node.children[0], node.min, node.max, factor);
        break;
    }
  }

  // As Emit, but what may be missing at either end is left out: that a match exists does not
  // depend on it, and fewer places are reported.
  void EmitTrimmed(const Node& node) {
    switch (node.kind) {
      case Kind::kAlternate:
        result_.text += "(?:";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) result_.text += '|';
          EmitTrimmed(node.children[i]);
        }
        result_.text += ')';
        break;
      case Kind::kRepeat:
        // One that may be missing is left out altogether, or else, holding an assertion, whole.
        if (node.min == 0) return Emit(node, 1);
        EmitRepeat(node.children[0], node.min, node.min, 1);
        break;
      case Kind::kConcat: {
        std::size_t begin = 0;
        std::size_t end = node.children.size();
        const auto optional = [&](std::size_t i) {
          const Node& child = node.children[i];
          return child.kind != Kind::kAssert && !Inspect(child).any_assertion() &&
                 child.kind != Kind::kBackReference && IsNullable(child);
        };
        while (begin < end && optional(begin)) ++begin;
        while (end > begin && optional(end - 1)) --end;
        EmitConcat(node, begin, end);
        break;
      }
      default:
        Emit(node, 1);
    }
  }

  Superset result() && { return std::move(result_); }

 private:
  void Count(std::size_t positions) {
    result_.positions = std::min(result_.positions + positions, std::size_t{1} << 40);
  }

  void EmitPart(const Node& concat, std::size_t index, std::size_t factor) {
    const Node& child = concat.children[index];
    if (child.kind == Kind::kAssert) {
      EmitAssertion(child.assertion, &concat, index);
    } else {
      Emit(child, factor);
    }
  }

  // The children [begin, end), of which the outer ones are trimmed.
  void EmitConcat(const Node& node, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool outer = i == begin || i + 1 == end;
      if (outer && node.children[i].kind == Kind::kRepeat) {
        EmitTrimmed(node.children[i]);
      } else {
        EmitPart(node, i, 1);
      }
    }
  }

  void EmitRepeat(const Node& child, int min, int max, std::size_t factor) {
    const auto copies = static_cast<std::size_t>(std::max({min, max, 1}));
    result_.text += "(?:";
    Emit(child, std::min(factor * copies, std::size_t{1} << 30));
    result_.text += ')';
    if (max == Node::kUnlimited) {
      result_.text += min == 0 ? "*" : min == 1 ? "+" : fmt::format("{{{},}}", min);
    } else if (min != 1 || max != 1) {
      result_.text += min == max ? fmt::format("{{{}}}", min) : fmt::format("{{{},{}}}", min, max);
    }
  }

  void EmitSet(const CharSet& set, std::size_t factor) {
    const CharSet low = alphabet_.utf8() ? set.Intersect(CharSet(0, kLastAscii)) : set;
    const CharSet high = alphabet_.utf8() ? set.Subtract(low) : CharSet();
    std::string bytes;
    for (const CharRange& r : low.ranges()) {
      AppendByte(bytes, static_cast<unsigned char>(r.first));
      if (r.last == r.first) continue;
      bytes += '-';
      AppendByte(bytes, static_cast<unsigned char>(r.last));
    }
    Count(factor);
    if (high.empty()) {
      if (bytes.empty()) {
        result_.text += "[^\\x00-\\xff]";
      } else {
        result_.text += "[" + bytes + "]";
      }
      return;
    }
    Count(factor);
    if (high.size() > kFewCharacters) {
      result_.text += bytes.empty() ? "[\\x80-\\xff]+" : "(?:[" + bytes + "]|[\\x80-\\xff]+)";
      return;
    }
    result_.text += "(?:";
    if (!bytes.empty()) result_.text += "[" + bytes + "]|";
    bool first = true;
    for (const CharRange& r : high.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) {
        std::string encoded;
        alphabet_.Encode(c, encoded);
        if (!first) result_.text += '|';
        first = false;
        for (const char byte : encoded) {
          AppendByte(result_.text, static_cast<unsigned char>(byte));
        }
        Count(factor * encoded.size());
      }
    }
    result_.text += ')';
  }

  // The ASCII character beside the assertion, if it is certain to be one: word, or not word.
  enum class Neighbour { kUnknown, kWord, kNotWord };

  Neighbour Look(const Node* concat, std::size_t index, bool behind) const {
    if (concat == nullptr) return Neighbour::kUnknown;
    const std::size_t n = concat->children.size();
    CharSet edge;
    for (std::size_t i = behind ? index + 1 : index; behind ? i < n : i > 0; behind ? ++i : --i) {
      const Node& node = concat->children[behind ? i : i - 1];
      edge.Add(behind ? FirstCharacters(node, alphabet_) : LastCharacters(node, alphabet_));
      if (IsNullable(node)) continue;
      if (edge.IsSubsetOf(word_)) return Neighbour::kWord;
      if (edge.IsSubsetOf(CharSet(0, kLastAscii)) && !edge.Intersects(word_)) {
        return Neighbour::kNotWord;
      }
      break;
    }
    return Neighbour::kUnknown;
  }

  void EmitAssertion(Assertion assertion, const Node* concat, std::size_t index) {
    const auto keep = [this](const char* text) {
      result_.text += text;
      result_.has_assertions = true;
    };
    const bool by_line = terminator_ == '\n';
    const Neighbour before = Look(concat, index, false);
    const Neighbour behind = Look(concat, index, true);
    switch (assertion) {
      case Assertion::kLineBegin:
      case Assertion::kBufferBegin:
        if (by_line) return keep("^");
        break;
      case Assertion::kLineEnd:
      case Assertion::kBufferEnd:
        if (by_line) return keep("$");
        break;
      case Assertion::kWordBegin:
      case Assertion::kWordEnd: {
        const Neighbour inside = assertion == Assertion::kWordBegin ? behind : before;
        if (inside != Neighbour::kWord) break;
        return keep("\\b");
      }
      case Assertion::kWordBoundary:
        if (before != Neighbour::kWord && behind != Neighbour::kWord) break;
        return keep("\\b");
      case Assertion::kNotWordBoundary:
        if (before != Neighbour::kNotWord && behind != Neighbour::kNotWord) break;
        return keep("\\B");
    }
    result_.text += "(?:)";
  }

  const Alphabet& alphabet_;
  char terminator_;
  CharSet word_;
  Superset result_;
};

}  // namespace

std::optional<Superset> EmitSuperset(const Node& tree, const Alphabet& alphabet, char terminator) {
  // Without its assertions the tree may match anywhere.
  if (IsNullable(tree)) return std::nullopt;
  SupersetEmitter emitter(alphabet, terminator);
  emitter.EmitTrimmed(tree);
  Superset result = std::move(emitter).result();
  if (result.positions > kMaxPositions) return std::nullopt;
  return result;
}

}  // namespace mr::pattern
