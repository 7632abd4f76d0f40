// What stands at a place of a basic or extended expression, however the syntax spells it.
#pragma once

#include <cstddef>
#include <string_view>

namespace mr::pattern {

enum class Token {
  kEnd,
  kOpen,
  kClose,
  kOr,
  kStar,
  kPlus,
  kQuestion,
  kOpenInterval,
  kCloseInterval,
  kBracket,
  kDot,
  kCaret,
  kDollar,
  kEscape,  // a backslash that belongs to no operator
  kCharacter,
};

// Whether an operator acts as one in its place is for the parser to say.
Token TokenAt(std::string_view text, std::size_t at, bool extended);

// The length of the operator at text[at], with the backslash of the basic syntax.
std::size_t OperatorBytes(std::string_view text, std::size_t at);

}  // namespace mr::pattern
