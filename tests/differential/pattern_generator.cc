#include "differential/pattern_generator.h"

#include <string_view>
#include <vector>

namespace differential {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTinyLetters = {"a"sv, "b"sv, "c"sv, "A"sv, "B"sv};
constexpr std::array kWordLetters = {"a"sv, "b"sv, "e"sv, "k"sv, "s"sv, "i"sv, "I"sv, "K"sv,
                                     "S"sv, "x"sv, "1"sv, "0"sv, "_"sv, " "sv, "-"sv, ","sv};
// Letters whose case folding or width is peculiar: U+017F folds to s, U+212A to k, U+0131 and
// U+0130 are the Turkish i, U+01C5 is a title case letter, U+0663 a digit, U+0301 combines.
constexpr std::array kUnicodeLetters = {
    "a"sv,          "s"sv,      "S"sv,      "k"sv,      "K"sv,      "i"sv,      "é"sv,
    "É"sv,          "ß"sv,      "\u1e9e"sv, "\u017f"sv, "\u212a"sv, "\u0131"sv, "\u0130"sv,
    "я"sv,          "Я"sv,      "\u01c5"sv, "\u0663"sv, "\u0301"sv, "漢"sv,     "\u00a0"sv,
    "\U0001f600"sv, "\u03c3"sv, "\u03c2"sv, " "sv,      "1"sv,      "_"sv};
constexpr std::array kPunctuationMarks = {"."sv, "*"sv, "["sv, "]"sv, "\\"sv, "^"sv, "$"sv,
                                          "+"sv, "?"sv, "{"sv, "}"sv, "("sv,  ")"sv, "|"sv,
                                          "/"sv, "-"sv, "a"sv, "1"sv, ","sv};
constexpr std::array kInvalid = {"\xff"sv,         "\xc3"sv,     "\xe2\x82"sv,        "\x80"sv,
                                 "\xed\xa0\x80"sv, "\xc0\x80"sv, "\xf4\x90\x80\x80"sv};

constexpr std::array kClasses = {"alpha"sv, "digit"sv, "alnum"sv, "upper"sv, "lower"sv, "space"sv,
                                 "blank"sv, "punct"sv, "print"sv, "graph"sv, "cntrl"sv, "xdigit"sv};
constexpr std::array kClassSamples = {"a"sv,  "7"sv, "b"sv, "B"sv, "e"sv,    " "sv,
                                      "\t"sv, ","sv, "x"sv, "-"sv, "\x01"sv, "f"sv};

class Generator {
 public:
  Generator(Random& random, Syntax syntax, Alphabet alphabet)
      : random_(random), syntax_(syntax), alphabet_(alphabet) {}

  Pattern Make() {
    if (syntax_ == Syntax::kFixed) return Fixed();
    Pattern pattern = Alternation(0);
    if (random_.Chance(8)) Disturb(pattern.text);
    return pattern;
  }

 private:
  bool basic() const { return syntax_ == Syntax::kBasic; }

  static Pattern Plain(std::string_view text, std::string_view sample) {
    Pattern pattern;
    pattern.text = text;
    pattern.samples.fill(std::string(sample));
    return pattern;
  }
  static void Append(Pattern& to, const Pattern& from) {
    to.text += from.text;
    for (std::size_t i = 0; i < kSamples; ++i) to.samples[i] += from.samples[i];
  }
  // An operator that the basic syntax writes with a backslash and the others without.
  std::string Operator(std::string_view mark) const {
    return (basic() ? "\\" : "") + std::string(mark);
  }

  Pattern Fixed() {
    Pattern pattern;
    const std::size_t length = random_.Chance(4) ? 0 : 1 + random_.Below(5);
    for (std::size_t i = 0; i < length; ++i) {
      const std::string letter = RandomCharacter(random_, alphabet_);
      Append(pattern, Plain(letter, letter));
    }
    return pattern;
  }

  Pattern Alternation(int depth) {
    Pattern pattern = Sequence(depth);
    const std::size_t more = random_.Chance(depth == 0 ? 12 : 35) ? 1 + random_.Below(2) : 0;
    for (std::size_t i = 0; i < more; ++i) {
      const Pattern other = random_.Chance(6) ? Pattern{} : Sequence(depth);
      pattern.text += Operator("|") + other.text;
      pattern.samples[random_.Below(kSamples)] = other.samples[0];
    }
    return pattern;
  }

  Pattern Sequence(int depth) {
    Pattern pattern;
    if (random_.Chance(8)) pattern.text += '^';
    const std::size_t length = random_.Chance(3) ? 0 : 1 + random_.Below(depth == 0 ? 4 : 2);
    for (std::size_t i = 0; i < length; ++i) Append(pattern, Repeated(depth));
    if (random_.Chance(8)) pattern.text += '$';
    return pattern;
  }

  Pattern Repeated(int depth) {
    Pattern atom = Atom(depth);
    std::size_t stacked = random_.Chance(28) ? 1 : 0;
    if (stacked == 1 && random_.Chance(8)) stacked = 2;
    for (std::size_t i = 0; i < stacked; ++i) {
      atom.text += Repetition();
      const std::string once = atom.samples[1];
      if (random_.Chance(50)) atom.samples[0].clear();
      atom.samples[1] += once;
      if (random_.Chance(50)) atom.samples[2] += once + once;
    }
    return atom;
  }

  std::string Repetition() {
    std::string lazy;
    if (syntax_ == Syntax::kPerl && random_.Chance(15)) lazy = random_.Chance(70) ? "?" : "+";
    switch (random_.Below(6)) {
      case 0:
      case 1:
        return "*" + lazy;
      case 2:
        return Operator("+") + lazy;
      case 3:
        return Operator("?") + lazy;
      default:
        return Operator("{") + Interval() + Operator("}") + lazy;
    }
  }

  std::string Interval() {
    const std::size_t low = random_.Below(4);
    const std::size_t high = low + random_.Below(3);
    switch (random_.Below(random_.Chance(10) ? 14 : 5)) {
      case 0:
      case 1:
        return std::to_string(low);
      case 2:
        return std::to_string(low) + ",";
      case 3:
        return std::to_string(low) + "," + std::to_string(high);
      case 4:
        return "," + std::to_string(high);
      case 5:
        return ",";
      case 6:
        return "";
      case 7:
        return "0" + std::to_string(low);
      case 8:
        return std::to_string(high + 1) + "," + std::to_string(low);
      case 9:
        return "1,2,3";
      case 10:
        return "32768";
      case 11:
        return "a";
      case 12:
        return std::to_string(low) + " ";
      default:
        return std::to_string(20 + random_.Below(20));
    }
  }

  Pattern Atom(int depth) {
    const std::size_t kind = random_.Below(100);
    if (kind < 52) return Letter();
    if (kind < 60) return Plain(".", RandomCharacter(random_, alphabet_));
    if (kind < 74) return Bracket();
    if (kind < 84 && depth < 3) return Group(depth);
    if (kind < 88) return BackReference();
    if (kind < 95) return Escape();
    return syntax_ == Syntax::kPerl ? PerlOnly(depth) : Oddity();
  }

  Pattern Letter() {
    const std::string letter = RandomCharacter(random_, alphabet_);
    std::string text;
    if (letter.size() == 1 && std::string_view("\\[*.^$").find(letter) != std::string_view::npos) {
      text = "\\" + letter;
    } else if (letter.size() == 1 &&
               std::string_view("+?{}()|").find(letter) != std::string_view::npos) {
      text = (basic() ? "" : "\\") + letter;
    } else {
      text = letter;
    }
    return Plain(text, letter);
  }

  Pattern Group(int depth) {
    Pattern inner = Alternation(depth + 1);
    ++groups_;
    inner.text = Operator("(") + inner.text + Operator(")");
    last_group_ = inner.samples;
    return inner;
  }

  Pattern BackReference() {
    // Mostly to a group that exists; now and then to one that does not.
    if (groups_ == 0 && !random_.Chance(10)) return Letter();
    const std::size_t number = random_.Chance(95) && groups_ > 0 ? 1 + random_.Below(groups_) : 9;
    Pattern pattern;
    pattern.text = "\\" + std::to_string(number);
    pattern.samples = last_group_;
    return pattern;
  }

  Pattern Escape() {
    switch (random_.Below(10)) {
      case 0:
        return Plain("\\w", "a");
      case 1:
        return Plain("\\W", "-");
      case 2:
        return Plain("\\s", " ");
      case 3:
        return Plain("\\S", "x");
      case 4:
        return Plain("\\b", "");
      case 5:
        return Plain("\\B", "");
      case 6:
        return syntax_ == Syntax::kPerl ? Plain("\\d", "5") : Plain("\\<", "");
      case 7:
        return syntax_ == Syntax::kPerl ? Plain("\\D", "d") : Plain("\\>", "");
      case 8:
        return Plain(syntax_ == Syntax::kPerl ? "\\A" : "\\`", "");
      default:
        return Plain(syntax_ == Syntax::kPerl ? "\\z" : "\\'", "");
    }
  }

  // Legal, but meaning something only to some engines.
  Pattern Oddity() {
    switch (random_.Below(7)) {
      case 0: {
        const std::string letter(1, "ntdxpQAzCafv"[random_.Below(12)]);
        return Plain("\\" + letter, letter);
      }
      case 1:
        return Plain("*", "*");
      case 2:
        return Plain(basic() ? "+" : "\\+", "+");
      case 3:
        return Plain(basic() ? "{" : "a{", basic() ? "{" : "a{");
      case 4:
        return Plain("]", "]");
      case 5:
        return Plain("}", "}");
      default:
        return Plain("/", "/");
    }
  }

  Pattern PerlOnly(int depth) {
    Pattern inner = Sequence(depth + 1);
    static constexpr std::array kOpenings = {"(?:"sv,   "(?="sv, "(?!"sv,
                                             "(?<=a"sv, "(?>"sv, "(?i)("sv};
    const std::size_t choice = random_.Below(kOpenings.size());
    if (choice >= 1 && choice <= 3) inner.samples.fill("");
    inner.text = std::string(kOpenings[choice]) + inner.text + ")";
    if (choice == 5) ++groups_;
    return inner;
  }

  Pattern Bracket() {
    std::string items;
    std::string sample;
    if (random_.Chance(8)) items += ']';
    const std::size_t count = 1 + random_.Below(3);
    for (std::size_t i = 0; i < count; ++i) sample = BracketItem(items);
    if (random_.Chance(8)) items += '-';
    const bool negated = random_.Chance(25);
    return Plain((negated ? "[^" : "[") + items + "]", negated ? "~" : sample);
  }

  // Appends one item to `items` and returns a text that it matches.
  std::string BracketItem(std::string& items) {
    const std::size_t kind = random_.Below(100);
    if (kind < 50) {
      std::string letter = RandomCharacter(random_, alphabet_);
      if (letter == "]" || letter == "^") letter = "b";
      items += letter;
      return letter;
    }
    if (kind < 72) {
      static constexpr std::array kRanges = {"a-c"sv, "A-Z"sv, "0-9"sv, "b-b"sv, "a-z"sv, " -~"sv};
      const auto range = random_.Pick(kRanges);
      items += range;
      return std::string(range.substr(2));
    }
    if (kind < 92) {
      const std::size_t index = random_.Below(kClasses.size());
      items += "[:" + std::string(kClasses[index]) + ":]";
      return std::string(kClassSamples[index]);
    }
    static constexpr std::array kRare = {"[=a=]"sv,    "[.-.]"sv, "[.a.]"sv,    "\\n"sv,    "z-a"sv,
                                         "[:foo:]"sv,  "a-c-e"sv, "[=b"sv,      "[.ab.]"sv, "\\]"sv,
                                         "[:alpha:"sv, "é-ü"sv,   "[.space.]"sv};
    items += random_.Pick(kRare);
    return "a";
  }

  // Deletes, doubles or inserts a character that the syntax cares about.
  void Disturb(std::string& text) {
    const std::size_t at = random_.Below(text.size() + 1);
    switch (random_.Below(3)) {
      case 0:
        if (at < text.size()) text.erase(at, 1);
        break;
      case 1:
        if (at < text.size()) text.insert(at, 1, text[at]);
        break;
      default:
        text.insert(at, 1, "\\()[]{}*+?|^$-,:"[random_.Below(16)]);
        break;
    }
    if (!text.empty() && random_.Chance(4)) text += '\\';
  }

  Random& random_;
  Syntax syntax_;
  Alphabet alphabet_;
  std::size_t groups_ = 0;
  std::array<std::string, kSamples> last_group_;
};

}  // namespace

std::string RandomCharacter(Random& random, Alphabet alphabet) {
  switch (alphabet) {
    case Alphabet::kTiny:
      return std::string(random.Pick(kTinyLetters));
    case Alphabet::kWords:
      return std::string(random.Pick(kWordLetters));
    case Alphabet::kUnicode:
      if (random.Chance(4)) return std::string(random.Pick(kInvalid));
      return std::string(random.Pick(kUnicodeLetters));
    case Alphabet::kPunctuation:
      return std::string(random.Pick(kPunctuationMarks));
  }
  return "a";
}

Pattern MakePattern(Random& random, Syntax syntax, Alphabet alphabet) {
  return Generator(random, syntax, alphabet).Make();
}

}  // namespace differential
