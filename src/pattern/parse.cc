// A recursive-descent parser for POSIX basic and extended regular expressions with the GNU
// extensions. GNU grep has two parsers, and both have a say: a pattern must first please the C
// library's (whose messages those below are), then grep's own automaton decides which lines
// match. Where they read a pattern differently, the tree follows the automaton:
//
//   - `^*x` (extended): the repeat applies to the anchor, so that `x` may stand anywhere;
//   - a repeat with nothing before it is ignored (extended) or literal (basic), an interval like
//     {1} included, while the C library would drop only the brace;
//   - `^^` (basic): the second one is literal.
#include "pattern/parse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "pattern/analyze.h"
#include "pattern/bracket.h"
#include "pattern/character.h"
#include "pattern/interval.h"
#include "pattern/pattern.h"
#include "pattern/token.h"

namespace mr::pattern {
namespace {

// The automaton's messages.
constexpr char kInvalidInterval[] = "invalid content of \\{\\}";
constexpr char kHugeInterval[] = "regular expression too big";

constexpr int kMaxDepth = 4000;  // nested groups and repeats; every later stage recurses on them

class Parser {
 public:
  Parser(std::string_view text, bool extended, const Alphabet& alphabet)
      : text_(text), extended_(extended), alphabet_(alphabet) {}

  Parsed Parse() {
    result_.tree = ParseAlternatives(0);
    if (c_library_open_.size() > 1) throw PatternError("Unmatched ( or \\(");
    return std::move(result_);
  }

 private:
  // An open group, and which were closed before it and in those of its branches that have ended.
  struct Group {
    int number = 0;
    unsigned closed_before = 0;
    unsigned closed_in_branches = 0;
  };

  Token Peek() const { return TokenAt(text_, at_, extended_); }
  std::size_t OperatorLength() const { return OperatorBytes(text_, at_); }

  void EnterLevel() {
    if (++depth_ > kMaxDepth) throw PatternError(kTooBig);
  }

  bool AtBranchEnd(int nesting) const {
    const Token token = Peek();
    return token == Token::kEnd || token == Token::kOr || (token == Token::kClose && nesting > 0);
  }

  Node ParseAlternatives(int nesting) {
    EnterLevel();
    std::vector<Node> branches;
    branches.push_back(ParseBranch(nesting));
    while (Peek() == Token::kOr) {
      at_ += OperatorLength();
      // A branch may not refer to the groups of the one before it.
      Group& group = c_library_open_.back();
      group.closed_in_branches |= std::exchange(closed_groups_, group.closed_before);
      branches.push_back(ParseBranch(nesting));
    }
    --depth_;
    return Node::Alternate(std::move(branches));
  }

  Node ParseBranch(int nesting) {
    std::vector<Node> parts;
    at_start_ = true;
    behind_words_ = false;
    branch_begin_ = at_;
    nothing_before_ = at_;
    while (!AtBranchEnd(nesting)) {
      const int depth = depth_;
      Node part = ParseAtom(nesting);
      while (ParseRepeat(part)) EnterLevel();
      depth_ = depth;
      if (part.kind == Node::Kind::kLiteral && !parts.empty() &&
          parts.back().kind == Node::Kind::kLiteral) {
        parts.back().literal += part.literal;
      } else {
        parts.push_back(std::move(part));
      }
    }
    return Node::Concat(std::move(parts));
  }

  Node ParseAtom(int nesting) {
    const Token token = Peek();
    switch (token) {
      case Token::kOpen: {
        at_ += OperatorLength();
        c_library_open_.push_back({++groups_, closed_groups_});
        Node inside = ParseAlternatives(nesting + 1);
        if (Peek() != Token::kClose) throw PatternError("Unmatched ( or \\(");
        CloseForCLibrary();
        at_ += OperatorLength();
        PassSomething();
        return inside;
      }
      case Token::kClose:
        if (!extended_) throw PatternError("Unmatched ) or \\)");
        CloseForCLibrary();
        return ParseCharacter();
      case Token::kStar:
      case Token::kPlus:
      case Token::kQuestion:
        if (!extended_) return ParseOperatorAsCharacter();
        return Node::Empty();  // ParseRepeat consumes it
      case Token::kOpenInterval:
        if (!extended_) return ParseOperatorAsCharacter();
        if (IsInterval()) return Node::Empty();
        if (IsHugeInterval()) {
          WarnAtStart("{...}");
          Complain(kHugeInterval);
        }
        return ParseLoneBrace();
      case Token::kCloseInterval:
        return ParseOperatorAsCharacter();
      case Token::kBracket: {
        Bracket bracket = ParseBracket(text_, at_, alphabet_);
        at_ = bracket.end;
        PassSomething();
        result_.needs_c_library |= bracket.needs_c_library;
        if (bracket.confusing) Complain("character class syntax is [[:space:]], not [:space:]");
        Node node = Node::Set(std::move(bracket.set));
        node.left_to_c_library = bracket.left_to_c_library;
        return node;
      }
      case Token::kDot:
        ++at_;
        PassSomething();
        return Node::Set(alphabet_.line_characters());
      case Token::kCaret:
        if (!extended_ && at_ != branch_begin_) return ParseCharacter();
        return ParseAssertion(1, Assertion::kLineBegin);
      case Token::kDollar:
        if (!extended_ && !DollarAnchors()) return ParseCharacter();
        return ParseAssertion(1, Assertion::kLineEnd);
      case Token::kEscape:
        return ParseEscape();
      default:
        return ParseCharacter();
    }
  }

  bool DollarAnchors() const {
    const std::string_view rest = text_.substr(at_ + 1);
    return rest.empty() || rest.starts_with("\\)") || rest.starts_with("\\|");
  }

  Node ParseEscape() {
    if (at_ + 1 >= text_.size()) throw PatternError("Trailing backslash");
    const char c = text_[at_ + 1];
    const auto consume = [this] {
      at_ += 2;
      PassSomething();
    };
    switch (c) {
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        const int number = c - '0';
        if ((closed_groups_ >> number & 1) == 0) throw PatternError("Invalid back reference");
        consume();
        return Node::BackReference(number);
      }
      case 'w':
        consume();
        return ClassNode(InLine(Word()));
      case 'W':
        consume();
        return ClassNode(NotInLine(Word()));
      case 's':
        consume();
        return ClassNode(InLine(Space()));
      case 'S':
        consume();
        return ClassNode(NotInLine(Space()));
      case 'b':
        return ParseWordAssertion(Assertion::kWordBoundary);
      case 'B':
        return ParseWordAssertion(Assertion::kNotWordBoundary);
      case '<':
        return ParseWordAssertion(Assertion::kWordBegin);
      case '>':
        return ParseWordAssertion(Assertion::kWordEnd);
      case '`':
        return ParseAssertion(2, Assertion::kBufferBegin);
      case '\'':
        return ParseAssertion(2, Assertion::kBufferEnd);
      default:
        ++at_;
        // The C library ignores the case of text, but not that of an escaped letter.
        result_.readings_differ |=
            alphabet_.ignore_case() && (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        return ParseCharacter();
    }
  }

  Node ClassNode(CharSet set) {
    Node node = Node::Set(std::move(set));
    node.left_to_c_library = !alphabet_.single_bytes();
    return node;
  }

  // A class of the locale takes a look at every character there is: once is enough.
  const CharSet& Word() {
    if (!word_) word_ = alphabet_.WordCharacters();
    return *word_;
  }
  const CharSet& Space() {
    if (!space_) space_ = alphabet_.NamedClass("space").value_or(CharSet());
    return *space_;
  }

  CharSet InLine(const CharSet& set) const { return alphabet_.line_characters().Intersect(set); }
  CharSet NotInLine(const CharSet& set) const { return alphabet_.line_characters().Subtract(set); }

  Node ParseAssertion(std::size_t length, Assertion kind) {
    at_ += length;
    nothing_before_ = at_;
    return Node::Assert(kind);
  }

  // The automaton repeats assertions like anything else, but where characters have many bytes it
  // leaves those about words to the C library, for which a repeat behind an assertion has nothing
  // to repeat.
  Node ParseWordAssertion(Assertion kind) {
    Node node = ParseAssertion(2, kind);
    if (alphabet_.single_bytes()) return node;
    if (extended_) {
      while (ParseRepeat(node)) {
        // Even what is left to the C library can be told not to be there.
        if (last_maximum_ == 0) return Node::Empty();
        node = Node::Assert(kind);
      }
    } else {
      if (!at_start_ && Peek() == Token::kOpenInterval && IsInterval() &&
          IntervalHere()->max == 0) {
        at_ = IntervalHere()->end;
        result_.readings_differ = true;
        return Node::Empty();
      }
      behind_words_ = true;
    }
    return node;
  }

  void PassSomething() { at_start_ = behind_words_ = false; }

  // And other repeats, with the basic syntax.
  bool StarIsLiteral() const { return !extended_ && (at_start_ || behind_words_); }

  // For the automaton, which has words of its own.
  void Complain(std::string_view mistake) {
    if (result_.complaint.empty()) result_.complaint = mistake;
  }

  // The C library skips a repeat that has nothing before it, and takes a parenthesis right behind
  // it for an ordinary character.
  void CloseForCLibrary() {
    if (c_library_open_.size() == 1 || skipped_repeat_ == at_) return;
    const Group& group = c_library_open_.back();
    closed_groups_ |= group.closed_in_branches;
    if (group.number <= 9) closed_groups_ |= 1u << group.number;
    c_library_open_.pop_back();
  }

  // A brace that begins no interval is an ordinary character to the automaton; the C library skips
  // it like a repeat where nothing stands before it.
  Node ParseLoneBrace() {
    const bool nothing_before = nothing_before_ == at_;
    Node brace = ParseCharacter();
    if (nothing_before) {
      nothing_before_ = skipped_repeat_ = at_;
      result_.readings_differ = true;
    }
    return brace;
  }

  Node ParseOperatorAsCharacter() {
    if (text_[at_] == '\\') ++at_;
    return ParseCharacter();
  }

  Node ParseCharacter() {
    PassSomething();
    const Alphabet::Decoded decoded = alphabet_.Decode(text_, at_);
    const std::string_view bytes = text_.substr(at_, decoded.length_bytes);
    at_ += decoded.length_bytes;
    result_.has_invalid_bytes |= !decoded.code;
    return CharacterNode(decoded, bytes, alphabet_);
  }

  // Applies the repeat operator at at_ to `part`, if there is one.
  bool ParseRepeat(Node& part) {
    const bool skipped = extended_ && nothing_before_ == at_ && Peek() != Token::kOpenInterval;
    const bool nothing_before = nothing_before_ == at_;
    bool interval_end = false;
    int min = 0;
    int max = Node::kUnlimited;
    switch (Peek()) {
      case Token::kStar:
        if (StarIsLiteral()) return false;
        WarnAtStart("*");
        at_ += 1;
        break;
      case Token::kPlus:
        if (StarIsLiteral()) return false;
        WarnAtStart("+");
        at_ += OperatorLength();
        min = 1;
        break;
      case Token::kQuestion:
        if (StarIsLiteral()) return false;
        WarnAtStart("?");
        at_ += OperatorLength();
        max = 1;
        break;
      case Token::kOpenInterval: {
        if (at_start_ && (!extended_ || !IsInterval())) return false;
        if (StarIsLiteral()) {
          ComplainOfInterval();  // only the automaton looks at it
          return false;
        }
        if (nothing_before && !IsInterval()) {
          if (!extended_) ComplainOfInterval();
          return false;
        }
        const std::optional<Interval> interval = IntervalHere();
        if (!interval) return false;
        if (interval->escapes) Complain(kInvalidInterval);
        WarnAtStart("{...}");
        min = interval->min;
        if (interval->max != Interval::kNoMaximum) max = interval->max;
        at_ = interval->end;
        interval_end = true;
        break;
      }
      default:
        return false;
    }
    if (skipped) nothing_before_ = skipped_repeat_ = at_;
    result_.readings_differ |= at_start_ || nothing_before;
    // An interval ends what GNU grep warns about.
    if (interval_end) PassSomething();
    last_maximum_ = max;
    // Of an anchor in a repeated group the C library remembers too little.
    result_.readings_differ |= Inspect(part).any_assertion();
    if (part.kind != Node::Kind::kAssert) {
      part = Node::Repeat(std::move(part), min, max);
    } else if (min == 0) {
      part = Node::Empty();
    }
    return true;
  }

  void WarnAtStart(std::string_view what) {
    if (extended_ && at_start_ && result_.complaint.empty()) {
      result_.warnings.push_back(std::string(what) + " at start of expression");
    }
  }

  std::optional<Interval> IntervalHere() const {
    return ParseInterval(text_, at_ + OperatorLength(), extended_);
  }

  // An interval with nothing before it means nothing to the C library; the automaton reads its
  // numbers.
  bool IsHugeInterval() const {
    try {
      IntervalHere();
    } catch (const PatternError& error) {
      return std::string_view(error.what()) == kTooBig;
    }
    return false;
  }
  void ComplainOfInterval() {
    if (!IsInterval()) Complain(IsHugeInterval() ? kHugeInterval : kInvalidInterval);
  }

  // Whether what stands at at_ is a well-formed interval to the automaton, without judging it.
  bool IsInterval() const {
    try {
      const std::optional<Interval> interval = IntervalHere();
      return interval && !interval->escapes;
    } catch (const PatternError&) {
      return false;
    }
  }

  std::string_view text_;
  bool extended_;
  const Alphabet& alphabet_;
  Parsed result_;
  std::optional<CharSet> word_;
  std::optional<CharSet> space_;
  std::size_t at_ = 0;
  std::size_t branch_begin_ = 0;
  // How the C library sees it: where a repeat would have nothing before it, where such a repeat
  // ended, and which groups are open and which closed.
  std::size_t nothing_before_ = 0;
  std::size_t skipped_repeat_ = std::string_view::npos;
  std::vector<Group> c_library_open_ = {Group()};  // the first is the whole pattern
  unsigned closed_groups_ = 0;                     // a bit for each
  int last_maximum_ = 0;                           // of the repeat that was parsed last
  int depth_ = 0;
  int groups_ = 0;
  bool at_start_ = true;  // nothing but anchors since the beginning of the branch
  bool behind_words_ =
      false;  // nothing but anchors since an assertion that is left to the C library
};

}  // namespace

Parsed ParseRegex(std::string_view text, bool extended, const Alphabet& alphabet) {
  return Parser(text, extended, alphabet).Parse();
}

}  // namespace mr::pattern
