#include <utility>
#include <vector>

#include "pattern/character.h"
#include "pattern/parse.h"

namespace mr::pattern {

Parsed ParseFixed(std::string_view text, const Alphabet& alphabet) {
  Parsed result;
  std::vector<Node> parts;
  for (std::size_t at = 0; at < text.size();) {
    const Alphabet::Decoded decoded = alphabet.Decode(text, at);
    result.has_invalid_bytes |= !decoded.code;
    parts.push_back(CharacterNode(decoded, text.substr(at, decoded.length_bytes), alphabet));
    at += decoded.length_bytes;
  }
  result.tree = Node::Concat(std::move(parts));
  return result;
}

}  // namespace mr::pattern
