// What the user typed as a search pattern, before any engine is chosen.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mr::pattern {

enum class Syntax { kBasic, kExtended, kFixed, kPerl };

// How bytes form characters. kUtf8 and kBytes (the C locale) need nothing from the C library;
// kLocale stands for any other character set (ISO-8859-1 and the like), reached through
// mbrtowc and the wide character functions.
enum class Charset { kUtf8, kBytes, kLocale };

// A pattern as given: every -e, every line of every -f file, in order.
struct Source {
  std::vector<std::string>
      patterns;  // no newlines inside, except for kPerl; empty: no match at all
  Syntax syntax = Syntax::kBasic;
  bool ignore_case = false;
  bool match_word = false;  // -w; without effect when match_line is set
  bool match_line = false;  // -x
  Charset charset = Charset::kUtf8;
  char terminator = '\n';  // '\0' with -z
  // Binary detection is on: a NUL byte ends a line as a newline does, so the text given to a
  // Matcher never holds one.
  bool nul_ends_line = true;
  // Where patterns[i] was read, for messages about it: "FILE:LINE", empty when it was typed. May be
  // null.
  std::function<std::string(std::size_t)> origin;
};

// A pattern that cannot be compiled. what() is GNU grep's own message where it has one, without
// the program's name: "Unmatched [, [^, [:, [., or [="; one line for each pattern that is wrong.
class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mr::pattern
