#include "pattern/bracket.h"

#include <string>

#include "pattern/pattern.h"

namespace mr::pattern {
namespace {

constexpr char kUnmatched[] = "Unmatched [, [^, [:, [., or [=";
constexpr char kUnknownElement[] = "Invalid collation character";
constexpr char kInvalidRange[] = "Invalid range end";
constexpr std::size_t kLongestNameBytes = 32;  // glibc gives up on longer ones as unterminated

class BracketParser {
 public:
  BracketParser(std::string_view text, std::size_t at, const Alphabet& alphabet)
      : text_(text), at_(at + 1), alphabet_(alphabet) {}

  Bracket Parse() {
    // GNU grep has a different message for a bracket with nothing behind it.
    const auto require_more = [this] {
      if (AtEnd()) throw PatternError("Invalid regular expression");
    };
    require_more();
    const bool negated = Peek() == '^';
    if (negated) {
      result_.left_to_c_library = !alphabet_.plain_bytes();
      ++at_;
      require_more();
    }
    const std::size_t first = at_;
    bool plain = true;  // neither ranges nor classes so far
    while (true) {
      if (AtEnd()) throw PatternError(kUnmatched);
      if (Peek() == ']' && at_ != first) break;
      const Element start = ParseElement(at_ == first);
      plain = plain && start.kind == Element::Kind::kCharacter && !start.named;
      if (start.kind == Element::Kind::kClass) {
        members_.Add(start.set);
        continue;
      }
      if (!AtEnd() && Peek() == '-' && Peek(1) != ']') {
        ++at_;
        if (AtEnd()) throw PatternError(kUnmatched);
        plain = false;
        AddRange(start, ParseElement(true));
      } else if (start.kind == Element::Kind::kCharacter) {
        members_.Add(alphabet_.Fold(start.code));
      } else if (start.named && !AtEnd()) {
        // The C library looks an element up as soon as it has seen what follows it.
        throw PatternError(kUnknownElement);
      }
    }
    const std::string_view inside = text_.substr(first, at_ - first);
    result_.confusing = plain && inside.size() > 2 && inside.front() == ':' &&
                        inside.back() == ':' &&
                        inside.find_first_not_of(':') != std::string_view::npos;
    result_.end = at_ + 1;
    const CharSet& line = alphabet_.line_characters();
    result_.set = negated ? line.Subtract(members_) : line.Intersect(members_);
    return std::move(result_);
  }

 private:
  struct Element {
    enum class Kind { kCharacter, kClass, kUnknown };
    Kind kind = Kind::kCharacter;
    char32_t code = 0;
    CharSet set;
    bool named = false;  // written as [.x.] or [=x=]
  };

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Element ParseElement(bool accept_hyphen) {
    if (Peek() == '[' && (Peek(1) == ':' || Peek(1) == '.' || Peek(1) == '=')) {
      return ParseNamed();
    }
    if (Peek() == '-' && !accept_hyphen && Peek(1) != ']') {
      throw PatternError(at_ + 1 < text_.size() ? kInvalidRange : kUnmatched);
    }
    const Alphabet::Decoded decoded = alphabet_.Decode(text_, at_);
    at_ += decoded.length_bytes;
    Element element;
    if (decoded.code) {
      element.code = *decoded.code;
    } else {
      element.kind = Element::Kind::kUnknown;
      result_.needs_c_library = true;
      result_.invalid_bytes += text_.substr(at_ - decoded.length_bytes, decoded.length_bytes);
    }
    return element;
  }

  Element ParseNamed() {
    const char kind = Peek(1);
    at_ += 2;
    const std::string closing = {kind, ']'};
    const std::size_t close = text_.find(closing, at_);
    if (close == std::string_view::npos || close - at_ >= kLongestNameBytes) {
      throw PatternError(kUnmatched);
    }
    const std::string_view name = text_.substr(at_, close - at_);
    at_ = close + 2;
    Element element;
    element.named = true;
    result_.left_to_c_library |= kind != ':' || (!alphabet_.single_bytes() && name != "digit");
    if (kind == ':') {
      std::optional<CharSet> members = alphabet_.NamedClass(name);
      if (!members) throw PatternError("Invalid character class name");
      element.kind = Element::Kind::kClass;
      element.set = *std::move(members);
      return element;
    }
    const Alphabet::Decoded decoded =
        name.empty() ? Alphabet::Decoded() : alphabet_.Decode(name, 0);
    if (!decoded.code || decoded.length_bytes != name.size()) {
      element.kind = Element::Kind::kUnknown;
      return element;
    }
    if (kind == '=') {
      element.kind = Element::Kind::kClass;
      element.set = alphabet_.Fold(*decoded.code);
    } else {
      element.code = *decoded.code;
    }
    return element;
  }

  void AddRange(const Element& start, const Element& end) {
    if (end.kind == Element::Kind::kClass) throw PatternError(kInvalidRange);
    for (const Element* element : {&start, &end}) {
      if (element->kind != Element::Kind::kUnknown) continue;
      if (element->named) throw PatternError(kUnknownElement);
      result_.invalid_range_end = true;
      return;
    }
    const auto digit = [](const Element& e) { return e.code >= '0' && e.code <= '9'; };
    result_.left_to_c_library |=
        !alphabet_.plain_bytes() && start.code != end.code && !(digit(start) && digit(end));
    const CharSet range = alphabet_.Range(start.code, end.code);
    if (range.empty()) throw PatternError(kInvalidRange);
    if (!alphabet_.plain_bytes()) {
      members_.Add(range);
      return;
    }
    // In the C locale the automaton decides, which folds what is in the range, not its ends.
    for (char32_t c = start.code; c <= end.code; ++c) members_.Add(alphabet_.Fold(c));
  }

  std::string_view text_;
  std::size_t at_;
  const Alphabet& alphabet_;
  CharSet members_;
  Bracket result_;
};

}  // namespace

Bracket ParseBracket(std::string_view text, std::size_t at, const Alphabet& alphabet) {
  return BracketParser(text, at, alphabet).Parse();
}

}  // namespace mr::pattern
