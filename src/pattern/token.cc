#include "pattern/token.h"

namespace mr::pattern {
namespace {

// `escaped` is the spelling with a backslash, which is the basic syntax's.
Token Operator(Token token, bool escaped, bool extended) {
  if (escaped != extended) return token;
  return escaped ? Token::kEscape : Token::kCharacter;
}

}  // namespace

Token TokenAt(std::string_view text, std::size_t at, bool extended) {
  if (at >= text.size()) return Token::kEnd;
  const bool escaped = text[at] == '\\' && at + 1 < text.size();
  switch (text[at + (escaped ? 1 : 0)]) {
    case '(':
      return Operator(Token::kOpen, escaped, extended);
    case ')':
      return Operator(Token::kClose, escaped, extended);
    case '|':
      return Operator(Token::kOr, escaped, extended);
    case '+':
      return Operator(Token::kPlus, escaped, extended);
    case '?':
      return Operator(Token::kQuestion, escaped, extended);
    case '{':
      return Operator(Token::kOpenInterval, escaped, extended);
    case '}':
      return Operator(Token::kCloseInterval, escaped, extended);
    case '\\':
      return Token::kEscape;
    default:
      break;
  }
  if (escaped) return Token::kEscape;
  switch (text[at]) {
    case '*':
      return Token::kStar;
    case '[':
      return Token::kBracket;
    case '.':
      return Token::kDot;
    case '^':
      return Token::kCaret;
    case '$':
      return Token::kDollar;
    default:
      return Token::kCharacter;
  }
}

std::size_t OperatorBytes(std::string_view text, std::size_t at) {
  return text[at] == '\\' ? 2 : 1;
}

}  // namespace mr::pattern
