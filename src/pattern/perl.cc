#include "pattern/perl.h"

namespace mr::pattern {
namespace {

constexpr std::string_view kAlphanumeric =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// To PCRE2 it is a k under -i; it is none in basic and extended expressions.
constexpr char kKelvinSign[] = "\xe2\x84\xaa";

bool Holds(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

}  // namespace

std::string SpellOutDigits(std::string_view perl) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < perl.size(); ++i) {
    const char c = perl[i];
    if (c == '\\' && i + 1 < perl.size()) {
      const char next = perl[++i];
      if (next == 'd') {
        out += in_class ? "0-9" : "[0-9]";
      } else if (next == 'D' && !in_class) {
        out += "[^0-9]";
      } else if (next == 'Q') {
        // Quoted up to \E: nothing in there is an escape.
        const std::size_t end = perl.find("\\E", i);
        const std::size_t stop = end == std::string_view::npos ? perl.size() : end + 2;
        out += perl.substr(i - 1, stop - (i - 1));
        i = stop - 1;
      } else {
        out += c;
        out += next;
      }
      continue;
    }
    out += c;
    if (in_class) {
      if (c == '[' && i + 1 < perl.size() && Holds(":.=", perl[i + 1])) {
        const std::size_t end = perl.find(']', i);
        if (end != std::string_view::npos) {
          out += perl.substr(i + 1, end - i);
          i = end;
        }
      } else if (c == ']') {
        in_class = false;
      }
    } else if (c == '[') {
      in_class = true;
      // A closing bracket in the first place is a member.
      if (i + 1 < perl.size() && perl[i + 1] == '^') out += perl[++i];
      if (i + 1 < perl.size() && perl[i + 1] == ']') out += perl[++i];
    }
  }
  return out;
}

std::optional<std::string> PerlAsExtended(std::string_view perl, bool ignore_case) {
  std::string out;
  for (std::size_t i = 0; i < perl.size(); ++i) {
    const char c = perl[i];
    if (static_cast<unsigned char>(c) > 0x7f) {
      if (ignore_case) return std::nullopt;  // PCRE2 folds by other rules
      out += c;
    } else if (c == '\\') {
      if (++i == perl.size()) return std::nullopt;
      const char next = perl[i];
      if (next == 'd') {
        out += "[0-9]";
      } else if (next == 'w' || next == 's') {
        out += c;
        out += next;
      } else if (next == 'b') {
        // Left out; a repeat behind it would then repeat something else.
        if (i + 1 < perl.size() && Holds("*+?{", perl[i + 1])) return std::nullopt;
      } else if (Holds(".*+?|()[]{}^$\\", next)) {
        out += c;
        out += next;
      } else if (!Holds(kAlphanumeric, next)) {
        out += next;
      } else {
        return std::nullopt;
      }
    } else if (c == '[') {
      // Plain members and ranges of letters and digits only.
      std::size_t end = i + 1;
      if (end < perl.size() && perl[end] == '^') {
        // Folding a negated class differs between the two wherever folding does.
        if (ignore_case) return std::nullopt;
        ++end;
      }
      const std::size_t first = end;
      while (end < perl.size() &&
             (Holds(kAlphanumeric, perl[end]) || Holds("_ ,.:;-/@%&=<>!#'\"", perl[end]))) {
        ++end;
      }
      if (end == first || end >= perl.size() || perl[end] != ']') return std::nullopt;
      const std::string members(perl.substr(i, end - i + 1));
      out += ignore_case ? "(" + members + "|" + kKelvinSign + ")" : members;
      i = end;
    } else if (c == '(') {
      if (i + 1 < perl.size() && Holds("?*", perl[i + 1])) {
        if (perl.substr(i, 3) != "(?:") return std::nullopt;
        i += 2;
      }
      out += c;
    } else if (ignore_case && (c == 'k' || c == 'K')) {
      out += std::string("(k|") + kKelvinSign + ")";
    } else if (c == '{' || c == '}') {
      // Only an interval that both read alike: {3}, {3,} or {3,5}.
      std::size_t end = i + 1;
      while (end < perl.size() && Holds("0123456789", perl[end])) ++end;
      if (c == '}' || i == 0 || end == i + 1) return std::nullopt;
      if (end < perl.size() && perl[end] == ',') ++end;
      while (end < perl.size() && Holds("0123456789", perl[end])) ++end;
      if (end >= perl.size() || perl[end] != '}') return std::nullopt;
      out += perl.substr(i, end - i + 1);
      i = end;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace mr::pattern
