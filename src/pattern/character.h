// One character of a pattern that stands for itself.
#pragma once

#include <string_view>

#include "pattern/alphabet.h"
#include "pattern/tree.h"

namespace mr::pattern {

// `bytes` is what `decoded` was decoded from. Under -i a set of all that it folds to.
Node CharacterNode(const Alphabet::Decoded& decoded, std::string_view bytes,
                   const Alphabet& alphabet);

}  // namespace mr::pattern
