#include "pattern/character.h"

#include <string>
#include <utility>

namespace mr::pattern {

Node CharacterNode(const Alphabet::Decoded& decoded, std::string_view bytes,
                   const Alphabet& alphabet) {
  if (decoded.code && alphabet.ignore_case()) {
    CharSet folded = alphabet.Fold(*decoded.code);
    if (folded.size() > 1) return Node::Set(std::move(folded));
  }
  return Node::Literal(std::string(bytes));
}

}  // namespace mr::pattern
