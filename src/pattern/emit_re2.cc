#include "pattern/emit_re2.h"

#include <fmt/format.h>

#include "pattern/analyze.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

constexpr std::size_t kRe2MaxRepeat = 1000;  // RE2's own limit, over nested repeats too

class Re2Emitter {
 public:
  Re2Emitter(const Alphabet& alphabet, Re2Text kind, char terminator)
      : alphabet_(alphabet),
        ascii_(kind == Re2Text::kAscii),
        terminator_(terminator),
        word_(CharSet('0', '9')) {
    word_.Add('A', 'Z');
    word_.Add('_');
    word_.Add('a', 'z');
  }

  bool Emit(const Node& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        out_ += "(?:)";
        return true;
      case Kind::kLiteral:
        return EmitLiteral(node.literal);
      case Kind::kSet:
        EmitSet(*node.set);
        return true;
      case Kind::kAssert:
        return EmitAssertion(node.assertion, nullptr, 0);
      case Kind::kBackReference:
        reason_ = "back-reference";
        return false;
      case Kind::kConcat:
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          const Node& child = node.children[i];
          const bool emitted = child.kind == Kind::kAssert
                                   ? EmitAssertion(child.assertion, &node, i)
                                   : EmitGrouped(child);
          if (!emitted) return false;
        }
        return true;
      case Kind::kAlternate:
        out_ += "(?:";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) out_ += '|';
          if (!Emit(node.children[i])) return false;
        }
        out_ += ')';
        return true;
      case Kind::kRepeat:
        return EmitRepeat(node);
    }
    return false;
  }

  std::string text() && { return "(?m)" + std::move(out_); }
  const std::string& reason() const { return reason_; }

 private:
  bool EmitGrouped(const Node& node) {
    if (node.kind != Kind::kConcat) return Emit(node);
    out_ += "(?:";
    if (!Emit(node)) return false;
    out_ += ')';
    return true;
  }

  bool EmitRepeat(const Node& node) {
    out_ += "(?:";
    if (!Emit(node.children[0])) return false;
    out_ += ')';
    if (node.max == Node::kUnlimited) {
      if (node.min <= 1) {
        out_ += node.min == 0 ? '*' : '+';
      } else {
        out_ += fmt::format("{{{},}}", node.min);
      }
    } else if (node.min == 0 && node.max == 1) {
      out_ += '?';
    } else {
      out_ += fmt::format("{{{},{}}}", node.min, node.max);
    }
    return true;
  }

  // An empty class; RE2 knows no code points above 0xff in Latin-1 mode.
  void EmitNothing() {
    const bool latin1 = ascii_ || !alphabet_.utf8();
    out_ += latin1 ? "[^\\x{0}-\\x{ff}]" : "[^\\x{0}-\\x{10ffff}]";
  }

  // RE2 of 2022 forgets, where alternatives begin with the same string, that it is Latin-1. It does
  // not look for strings in repeats.
  void EmitLiteralCharacter(char32_t c) {
    const bool protect = !alphabet_.utf8() && c > kLastAscii;
    if (protect) out_ += "(?:";
    EmitCharacter(c);
    if (protect) out_ += "){1}";
  }

  void EmitCharacter(char32_t c) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out_ += static_cast<char>(c);
    } else {
      out_ += fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(c));
    }
  }

  bool EmitLiteral(const std::string& literal) {
    for (std::size_t at = 0; at < literal.size();) {
      const Alphabet::Decoded decoded = alphabet_.Decode(literal, at);
      at += decoded.length_bytes;
      if (ascii_ && (!decoded.code || *decoded.code > kLastAscii)) {
        EmitNothing();
        return true;
      }
      if (!decoded.code) {
        reason_ = "invalid UTF-8 in the pattern";
        return false;
      }
      EmitLiteralCharacter(*decoded.code);
    }
    return true;
  }

  // Both cases of an ASCII letter RE2 turns into that letter, ignoring case; next to another
  // alternative of one character it makes a set of them again, of all that Unicode folds: U+212A is
  // among those for k, U+017F among those for s. It does not look into repeats.
  void EmitSet(const CharSet& set) {
    const bool protect = set == BothCases('k') || set == BothCases('s');
    if (protect) out_ += "(?:";
    EmitClass(set);
    if (protect) out_ += "){1}";
  }

  static CharSet BothCases(char32_t lower) {
    CharSet both(lower, lower);
    both.Add(lower - 'a' + 'A');
    return both;
  }

  void EmitClass(const CharSet& set) {
    std::string ranges;
    for (const CharRange& r : set.ranges()) {
      if (ascii_ && r.first > kLastAscii) break;
      const char32_t last = ascii_ ? std::min(r.last, kLastAscii) : r.last;
      ranges += fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(r.first));
      if (last > r.first) ranges += fmt::format("-\\x{{{:x}}}", static_cast<std::uint32_t>(last));
    }
    if (ranges.empty()) {
      EmitNothing();
    } else {
      out_ += '[';
      out_ += ranges;
      out_ += ']';
    }
  }

  // What stands before (or behind) the assertion at `index` of `concat`, if it can be known.
  enum class Neighbour { kUnknown, kWord, kNotWord };

  Neighbour Look(const Node* concat, std::size_t index, bool behind) const {
    if (concat == nullptr) return Neighbour::kUnknown;
    CharSet edge;
    bool certain = false;
    const std::size_t n = concat->children.size();
    for (std::size_t i = behind ? index + 1 : index; behind ? i < n : i > 0; behind ? ++i : --i) {
      const Node& node = concat->children[behind ? i : i - 1];
      edge.Add(behind ? FirstCharacters(node, alphabet_) : LastCharacters(node, alphabet_));
      certain = !IsNullable(node);
      if (certain) break;
    }
    if (!certain) return Neighbour::kUnknown;
    if (ascii_) edge = edge.Intersect(CharSet(0, kLastAscii));
    if (edge.IsSubsetOf(word_)) return Neighbour::kWord;
    if (!edge.Intersects(word_)) return Neighbour::kNotWord;
    return Neighbour::kUnknown;
  }

  bool EmitAssertion(Assertion assertion, const Node* concat, std::size_t index) {
    const bool by_line = terminator_ == '\n';
    switch (assertion) {
      case Assertion::kLineBegin:
      case Assertion::kBufferBegin:
        out_ += by_line ? "^" : "\\A";
        return true;
      case Assertion::kLineEnd:
      case Assertion::kBufferEnd:
        out_ += by_line ? "$" : "\\z";
        return true;
      default:
        break;
    }
    // In the C locale no byte above 0x7f is part of a word, which is RE2's view too.
    if (!ascii_ && !alphabet_.plain_bytes()) {
      reason_ = "word boundary beside text that is not ASCII";
      return false;
    }
    switch (assertion) {
      case Assertion::kNotWordBoundary:
        out_ += "\\B";
        return true;
      case Assertion::kWordBoundary:
        out_ += "\\b";
        return true;
      default:
        break;
    }
    const bool begin = assertion == Assertion::kWordBegin;
    const Neighbour before = Look(concat, index, false);
    const Neighbour behind = Look(concat, index, true);
    const Neighbour inside = begin ? behind : before;
    const Neighbour outside = begin ? before : behind;
    if (inside == Neighbour::kNotWord || outside == Neighbour::kWord) {
      EmitNothing();
      return true;
    }
    if (inside == Neighbour::kWord || outside == Neighbour::kNotWord) {
      out_ += "\\b";
      return true;
    }
    reason_ = begin ? "\\< before what may not be a word" : "\\> behind what may not be a word";
    return false;
  }

  const Alphabet& alphabet_;
  bool ascii_;
  char terminator_;
  CharSet word_;
  std::string out_;
  std::string reason_;
};

}  // namespace

std::optional<Re2Regex> EmitRe2(const Node& tree, const Alphabet& alphabet, Re2Text kind,
                                char terminator, std::string& reason) {
  if (Inspect(tree).repeat_product > kRe2MaxRepeat) {
    reason = "repeat over RE2's limit of 1000";
    return std::nullopt;
  }
  Re2Emitter emitter(alphabet, kind, terminator);
  if (!emitter.Emit(tree)) {
    reason = emitter.reason();
    return std::nullopt;
  }
  return Re2Regex{std::move(emitter).text(), kind == Re2Text::kAscii || !alphabet.utf8()};
}

}  // namespace mr::pattern
