#include "differential/rewrite.h"

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "differential/options.h"

namespace differential {
namespace {

bool IsContinuation(const std::string& text, std::size_t at, unsigned char lowest,
                    unsigned char highest) {
  return at < text.size() && static_cast<unsigned char>(text[at]) >= lowest &&
         static_cast<unsigned char>(text[at]) <= highest;
}

std::string Encode(unsigned code, bool utf8) {
  std::string text;
  if (code < 0x80 || !utf8) return {static_cast<char>(code)};
  if (code >= 0x10000) {
    text = {static_cast<char>(0xf0 | (code >> 18)), static_cast<char>(0x80 | ((code >> 12) & 63))};
  } else if (code >= 0x800) {
    text = {static_cast<char>(0xe0 | (code >> 12))};
  } else {
    return {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 63))};
  }
  text += static_cast<char>(0x80 | ((code >> 6) & 63));
  text += static_cast<char>(0x80 | (code & 63));
  return text;
}

unsigned Decode(const std::string& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (text.size() == 1) return first;
  unsigned code = first & (0xffU >> (text.size() + 1));
  for (std::size_t i = 1; i < text.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 63U);
  }
  return code;
}

// The bracket at text[at] as it is written, or nothing if it is not closed.
std::string BracketText(const std::string& text, std::size_t at, bool escapes) {
  std::size_t next = at + 1;
  if (next < text.size() && text[next] == '^') ++next;
  const std::size_t first = next;
  while (next < text.size()) {
    if (text[next] == ']' && next != first) return text.substr(at, next + 1 - at);
    if (escapes && text[next] == '\\') {
      next += 2;
    } else if (text[next] == '[' && next + 1 < text.size() &&
               std::string(":.=").find(text[next + 1]) != std::string::npos) {
      const std::size_t end = text.find(std::string(1, text[next + 1]) + "]", next + 2);
      next = end == std::string::npos ? next + 1 : end + 2;
    } else {
      ++next;
    }
  }
  return {};
}

// A pattern in its smallest parts: escapes, brackets, single bytes.
std::vector<std::string> Tokens(const std::string& pattern, char syntax) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < pattern.size();) {
    std::string token(1, pattern[at]);
    if (pattern[at] == '\\') {
      token = pattern.substr(at, 2);
    } else if (pattern[at] == '[') {
      const std::string bracket = BracketText(pattern, at, syntax == 'P');
      if (!bracket.empty()) token = bracket;
    }
    at += token.size();
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::string Join(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) text += token;
  return text;
}

// The characters that a bracket names one by one or as ranges, and its classes.
class Bracket {
 public:
  // `turn`: ranges whose ends are the wrong way round are turned.
  Bracket(const std::string& text, bool utf8, bool turn) : text_(text), utf8_(utf8), turn_(turn) {}

  std::string SpelledOut() {
    at_ = 1;
    const bool negated = text_[at_] == '^';
    if (negated) ++at_;
    do {
      if (text_.compare(at_, 2, "[:") == 0) {
        const std::size_t end = text_.find(":]", at_ + 2);
        if (end == std::string::npos) return text_;
        classes_ += text_.substr(at_, end + 2 - at_);
        at_ = end + 2;
        if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') return text_;
        continue;
      }
      // What would be beyond Unicode is bytes that form no character, one by one.
      if (utf8_ && CharacterAt(text_, at_).kind >= CharacterKind::kBeyond) {
        invalid_ += text_[at_++];
        if (text_[at_] == '-' && text_[at_ + 1] != ']') return text_;
        continue;
      }
      unsigned low = 0;
      if (!Item(low)) return text_;
      unsigned high = low;
      if (text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        if (text_.compare(at_, 2, "[:") == 0 || !Item(high)) return text_;
        if (high < low && !turn_) return text_;
        if (high < low) std::swap(low, high);
        is_plain_ = false;
        // What follows a range is not another.
        if (text_[at_] == '-' && text_[at_ + 1] != ']') return text_;
      }
      for (unsigned code = low; code <= high; ++code) characters_.insert(code);
    } while (at_ + 1 < text_.size());
    // [:space:] is a mistake only as it stands.
    return is_plain_ ? text_ : Write(negated);
  }

 private:
  bool Item(unsigned& code) {
    std::string item;
    if (text_.compare(at_, 2, "[=") == 0 || text_.compare(at_, 2, "[.") == 0) {
      const std::size_t end = text_.find(std::string(1, text_[at_ + 1]) + "]", at_ + 2);
      if (end == std::string::npos) return false;
      is_plain_ = false;
      item = text_.substr(at_ + 2, end - at_ - 2);
      if (item.empty() || (utf8_ ? CharacterAt(item, 0).size : 1) != item.size()) return false;
      at_ = end + 2;
    } else {
      item = text_.substr(at_, utf8_ ? CharacterAt(text_, at_).size : 1);
      at_ += item.size();
    }
    if (utf8_ && CharacterAt(item, 0).kind >= CharacterKind::kBeyond) return false;
    code = Decode(item);
    return true;
  }

  std::string Write(bool negated) const {
    // These mean themselves only in certain places.
    std::string first;
    std::string last;
    std::string others;
    for (const unsigned code : characters_) {
      if (code == ']') {
        first = "]";
      } else if (code == '[' || code == '^' || code == '-') {
        last += static_cast<char>(code);
      } else {
        others += Encode(code, utf8_);
      }
    }
    // In the order in which none of them is misread.
    std::string tail;
    for (const char mark : {'[', '^', '-'}) {
      if (last.find(mark) != std::string::npos) tail += mark;
    }
    // Bytes that continue a character come before those that begin one.
    std::string invalid = invalid_;
    std::sort(invalid.begin(), invalid.end(), [](char left, char right) {
      return static_cast<unsigned char>(left) < static_cast<unsigned char>(right);
    });
    const std::string items = first + classes_ + others + invalid + tail;
    if (!negated && items[0] == '^') return text_;
    return (negated ? "[^" : "[") + items + "]";
  }

  const std::string& text_;
  bool utf8_;
  bool turn_;
  std::size_t at_ = 0;
  std::set<unsigned> characters_;
  std::string classes_;
  std::string invalid_;   // bytes that are no characters
  bool is_plain_ = true;  // neither ranges nor elements so far
};

void ReplaceAll(std::string& text, const std::string& old, const std::string& with) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size())) {
    text.replace(at, old.size(), with);
  }
}

std::string AsciiToken(std::string token) {
  static const std::map<std::string, std::string> kEscapes = {
      {"\\w", "[0-9A-Z_a-z]"},
      {"\\W", "[^0-9A-Z_a-z]"},
      {"\\D", "[^0-9]"},
      {"\\s", "[\\x09-\\x0d\\x20]"},
      {"\\S", "[^\\x09-\\x0d\\x20]"},
      {"\\b", "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))"},
      {"\\B", "(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))"}};
  static const std::map<std::string, std::string> kAsciiClasses = {
      {"[:alpha:]", "A-Za-z"},
      {"[:digit:]", "0-9"},
      {"[:alnum:]", "0-9A-Za-z"},
      {"[:upper:]", "A-Z"},
      {"[:lower:]", "a-z"},
      {"[:space:]", "\\x09-\\x0d\\x20"},
      {"[:blank:]", "\\x09\\x20"},
      {"[:punct:]", "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e"},
      {"[:print:]", "\\x20-\\x7e"},
      {"[:graph:]", "\\x21-\\x7e"},
      {"[:cntrl:]", "\\x00-\\x1f\\x7f"},
      {"[:xdigit:]", "0-9A-Fa-f"}};
  const auto found = kEscapes.find(token);
  if (found != kEscapes.end()) return found->second;
  if (token[0] == '[') {
    for (const auto& [name, items] : kAsciiClasses) ReplaceAll(token, name, items);
  }
  return token;
}

Case WithPatterns(Case test_case,
                  const std::function<std::string(const std::string&, char)>& rewrite) {
  const char syntax = SyntaxOf(test_case);
  for (auto& pattern : test_case.patterns) pattern = rewrite(pattern, syntax);
  return test_case;
}

bool IsAssertion(const std::string& token) {
  static const std::set<std::string> kAssertions = {"^",   "$",   "\\<", "\\>",
                                                    "\\b", "\\B", "\\`", "\\'"};
  return kAssertions.count(token) > 0;
}

std::string DropRepeats(const std::string& pattern, char syntax) {
  const std::string mark = syntax == 'G' ? "\\" : "";
  const auto tokens = Tokens(pattern, syntax);
  const bool asserts = std::any_of(tokens.begin(), tokens.end(), IsAssertion);
  std::string kept;
  bool bare = true;  // what stands before is nothing that can be repeated plainly
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const bool brace = token == mark + "{";
    const auto end =
        std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), mark + "}");
    const bool interval = brace && end != tokens.end();
    if (bare && (token == "*" || token == mark + "+" || token == mark + "?" || brace)) {
      while (interval && i < tokens.size() && tokens[i] != mark + "}") ++i;
      continue;
    }
    kept += token;
    bare = IsAssertion(token) || token == mark + "(" || token == mark + "|" ||
           (token == mark + ")" && asserts);
  }
  return kept;
}

std::string AddBackReference(const std::string& pattern, char syntax) {
  static const std::regex reference("\\\\[1-9]");
  if (std::regex_search(pattern, reference)) return pattern;
  if (syntax == 'E') return "()(" + pattern + "|\\b\\B)\\1";
  return syntax == 'G' ? "\\(\\)\\(" + pattern + "\\|\\b\\B\\)\\1" : pattern;
}

std::string EscapeLoneParentheses(const std::string& pattern, char syntax) {
  auto tokens = Tokens(pattern, syntax);
  int open = 0;
  for (auto& token : tokens) {
    if (token == "(") ++open;
    if (token == ")" && --open < 0) {
      token = "\\)";
      open = 0;
    }
  }
  return Join(tokens);
}

// Arguments that are much longer are refused.
constexpr std::size_t kLongestArgument = 120'000;

Case SpellOut(Case test_case, bool turn) {
  const bool utf8 = InUtf8(test_case);
  test_case = WithPatterns(std::move(test_case), [=](const std::string& pattern, char syntax) {
    if (syntax == 'F' || syntax == 'P') return pattern;
    auto tokens = Tokens(pattern, syntax);
    for (auto& token : tokens) {
      if (token.size() > 2 && token[0] == '[') {
        const std::string written = token;
        token = Bracket(written, utf8, turn).SpelledOut();
      }
    }
    return Join(tokens);
  });
  const bool recursive = Has(test_case, "-r") || Has(test_case, "-R");
  if (!recursive && std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                                [](const auto& text) { return text.size() > kLongestArgument; })) {
    test_case.pattern_style = PatternStyle::kFile;
  }
  return test_case;
}

}  // namespace

Character CharacterAt(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {CharacterKind::kAscii, 1};
  const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf8 ? 4
                                                         : 1;
  if (size == 1) return {CharacterKind::kInvalid, 1};
  const unsigned char lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  for (std::size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text, at + i, i == 1 ? lowest : 0x80, 0xbf)) {
      return {CharacterKind::kInvalid, 1};
    }
  }
  const bool beyond = (lead == 0xed && IsContinuation(text, at + 1, 0xa0, 0xbf)) ||
                      (lead == 0xf4 && IsContinuation(text, at + 1, 0x90, 0xbf)) || lead > 0xf4;
  return {beyond ? CharacterKind::kBeyond : CharacterKind::kWide, size};
}

bool HasKind(const std::string& text, CharacterKind kind) {
  for (std::size_t at = 0; at < text.size();) {
    const Character character = CharacterAt(text, at);
    if (character.kind == kind) return true;
    at += character.size;
  }
  return false;
}

bool AnyFileHas(const Case& test_case, CharacterKind kind) {
  return std::any_of(test_case.files.begin(), test_case.files.end(),
                     [&](const InputFile& file) { return HasKind(file.bytes, kind); });
}

Case WithFilesOverwritten(Case test_case, CharacterKind kind, char byte) {
  for (auto& file : test_case.files) {
    for (std::size_t at = 0; at < file.bytes.size();) {
      const Character character = CharacterAt(file.bytes, at);
      if (character.kind == kind) file.bytes.replace(at, character.size, character.size, byte);
      at += character.size;
    }
  }
  return test_case;
}

Case WithCharactersReplaced(Case test_case, CharacterKind kind, char byte) {
  const auto replace = [&](std::string& text) {
    std::string replaced;
    for (std::size_t at = 0; at < text.size();) {
      const Character character = CharacterAt(text, at);
      replaced += character.kind == kind ? std::string(1, byte) : text.substr(at, character.size);
      at += character.size;
    }
    text = std::move(replaced);
  };
  for (auto& file : test_case.files) replace(file.bytes);
  for (auto& pattern : test_case.patterns) replace(pattern);
  return test_case;
}

Case WithRangesSpelledOut(Case test_case) { return SpellOut(std::move(test_case), false); }

Case WithReversedRangesSpelledOut(Case test_case) { return SpellOut(std::move(test_case), true); }

Case WithBracketsAlone(Case test_case) {
  return WithPatterns(std::move(test_case), [](const std::string& pattern, char syntax) {
    auto tokens = Tokens(pattern, syntax);
    std::erase_if(tokens, [](const std::string& token) { return token[0] != '['; });
    return Join(tokens);
  });
}

Case WithAsciiClasses(Case test_case) {
  const bool words = Has(test_case, "-w") && !Has(test_case, "-x");
  test_case = Without(std::move(test_case), [](const auto& option) { return option == "-w"; });
  return WithPatterns(std::move(test_case), [words](const std::string& pattern, char syntax) {
    auto tokens = Tokens(pattern, syntax);
    for (auto& token : tokens) token = AsciiToken(std::move(token));
    std::string text = Join(tokens);
    if (words) text = "(?<![0-9A-Z_a-z])(?:" + text + ")(?![0-9A-Z_a-z])";
    return text;
  });
}

Case WithUnicodeClasses(Case test_case) {
  const bool lines = Has(test_case, "-x");
  const bool words = Has(test_case, "-w") && !lines;
  test_case = Without(std::move(test_case),
                      [](const auto& option) { return option == "-w" || option == "-x"; });
  return WithPatterns(std::move(test_case), [&](const std::string& pattern, char syntax) {
    auto tokens = Tokens(pattern, syntax);
    for (auto& token : tokens) {
      if (token == "\\d") token = "[0-9]";
      if (token == "\\D") token = "[^0-9]";
      if (token.size() > 2 && token[0] == '[') {
        ReplaceAll(token, "\\d", "0-9");
        ReplaceAll(token, "\\D", "\\x00-\\x2f\\x3a-\\x{10ffff}");
      }
    }
    const std::string text = Join(tokens);
    if (lines) return "(*UCP)^(?:" + text + ")$";
    return "(*UCP)" + (words ? "(?<!\\w)(?:" + text + ")(?!\\w)" : text);
  });
}

Case WithoutRepeatedAssertions(Case test_case) {
  return WithPatterns(std::move(test_case), DropRepeats);
}

Case WithLoneParenthesesEscaped(Case test_case) {
  return WithPatterns(std::move(test_case), EscapeLoneParentheses);
}

Case WithImpossibleAlternative(Case test_case) {
  return WithPatterns(std::move(test_case), [](const std::string& pattern, char syntax) {
    return pattern + (syntax == 'E' ? "|.$." : syntax == 'G' ? "\\|.\\($\\)." : "");
  });
}

Case WithBackReference(Case test_case) {
  return WithPatterns(std::move(test_case), AddBackReference);
}

char SyntaxOf(const Case& test_case) {
  char syntax = 'G';
  for (const auto& option : test_case.options) {
    if (option == "-E" || option == "-F" || option == "-G" || option == "-P") syntax = option[1];
  }
  return syntax;
}

}  // namespace differential
