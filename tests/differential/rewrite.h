// Cases without something on which the two programs are known to differ, all else left as it is.
#pragma once

#include <string>

#include "differential/case.h"

namespace differential {

enum class CharacterKind {
  kAscii,
  kWide,     // more than one byte, valid
  kBeyond,   // a surrogate, or above U+10FFFF, as UTF-8 would write it
  kInvalid,  // a byte that is part of no character
};

// The bytes of the first character of text[at..] in UTF-8, and what it is.
struct Character {
  CharacterKind kind;
  std::size_t size;
};
Character CharacterAt(const std::string& text, std::size_t at);
bool HasKind(const std::string& text, CharacterKind kind);
bool AnyFileHas(const Case& test_case, CharacterKind kind);
// Every byte of such characters in the files becomes `byte`.
Case WithFilesOverwritten(Case test_case, CharacterKind kind, char byte);
// Every such character in files and patterns becomes the one byte.
Case WithCharactersReplaced(Case test_case, CharacterKind kind, char byte);

// Brackets of -G and -E with the characters of their ranges, by code point, one by one, and
// characters in place of [=a=] and [.a.].
Case WithRangesSpelledOut(Case test_case);
// The same, and those whose ends are the wrong way round are turned.
Case WithReversedRangesSpelledOut(Case test_case);

// -G and -E with nothing but the brackets of the patterns, in a row.
Case WithBracketsAlone(Case test_case);

// -P with ASCII classes written out, for words too.
Case WithAsciiClasses(Case test_case);

// -P with (*UCP), which GNU grep knows in front of a pattern only, so that -w and -x are written
// out; \d stays ASCII.
Case WithUnicodeClasses(Case test_case);

// -G and -E without repeats of nothing, of assertions, and of groups where there are assertions.
Case WithoutRepeatedAssertions(Case test_case);

// -E with a backslash before each ) that closes no group.
Case WithLoneParenthesesEscaped(Case test_case);

// -G and -E with another alternative, which matches nothing.
Case WithImpossibleAlternative(Case test_case);

// -G and -E with a back-reference that changes nothing, so that GNU grep asks the C library, and an
// alternative without which it would first look for what its automaton thinks of the pattern.
// Unchanged where there is a back-reference already.
Case WithBackReference(Case test_case);

char SyntaxOf(const Case& test_case);  // G, E, F or P

}  // namespace differential
