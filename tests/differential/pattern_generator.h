// Random patterns, in the four syntaxes, with texts that they are likely to match.
#pragma once

#include <array>
#include <string>

#include "differential/random.h"

namespace differential {

enum class Syntax { kBasic, kExtended, kFixed, kPerl };

constexpr std::size_t kSamples = 3;

struct Pattern {
  std::string text;
  std::array<std::string, kSamples> samples;
};

// What the letters of patterns and inputs are taken from. Small alphabets make coincidences.
enum class Alphabet { kTiny, kWords, kUnicode, kPunctuation };

// One character of `alphabet`, in UTF-8, seldom an invalid byte.
std::string RandomCharacter(Random& random, Alphabet alphabet);

// A pattern without a newline; about one in ten is invalid or at the edge of it.
Pattern MakePattern(Random& random, Syntax syntax, Alphabet alphabet);

}  // namespace differential
