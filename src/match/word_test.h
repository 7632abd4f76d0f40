// Whether the character before or behind a place in a line is part of a word, for -w.
#pragma once

#include <algorithm>
#include <string_view>

#include "pattern/alphabet.h"

namespace mr::match {

class WordTest {
 public:
  explicit WordTest(const pattern::Source& source) : alphabet_(source) {}

  bool IsWordAt(std::string_view line, std::size_t at) const {
    return at < line.size() && IsWord(alphabet_.Decode(line, at));
  }

  bool IsWordBefore(std::string_view line, std::size_t at) const {
    for (std::size_t length = 1; length <= std::min(at, std::size_t{4}); ++length) {
      const auto decoded = alphabet_.Decode(line.substr(0, at), at - length);
      if (decoded.code && decoded.length_bytes == length) return IsWord(decoded);
    }
    return false;
  }

  // Behind the character at `at`, or behind the byte that is none.
  std::size_t Next(std::string_view line, std::size_t at) const {
    return at + (at < line.size() ? alphabet_.Decode(line, at).length_bytes : 1);
  }

  // GNU grep's automaton takes an empty match between two characters that are not word
  // characters; its loop over ever shorter matches, all that it has in UTF-8, does not.
  bool TakesEmpty() const { return !alphabet_.utf8(); }

 private:
  bool IsWord(const pattern::Alphabet::Decoded& decoded) const {
    return decoded.code && alphabet_.IsWord(*decoded.code);
  }

  pattern::Alphabet alphabet_;
};

}  // namespace mr::match
