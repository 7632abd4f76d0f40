// From a tree to a regular expression in RE2's own (Perl-like) syntax.
#pragma once

#include <optional>
#include <string>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

// Which text the expression is going to be run over.
enum class Re2Text {
  kAscii,  // bytes below 0x80 only: RE2's word boundaries are the locale's, in Latin-1 mode
  kAny,    // UTF-8 (perhaps with invalid bytes), or bytes in Latin-1 mode, as the alphabet is
};

struct Re2Regex {
  std::string text;
  bool latin1 = false;  // else UTF-8
};

// None when RE2 cannot express the tree exactly for such text; `reason` then says why.
// `terminator` decides what ^ and $ are: with '\n' they hold at every newline, so that the text
// may be a block of lines; with '\0' they hold at the ends of the text only.
std::optional<Re2Regex> EmitRe2(const Node& tree, const Alphabet& alphabet, Re2Text kind,
                                char terminator, std::string& reason);

}  // namespace mr::pattern
