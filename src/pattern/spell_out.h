// Brackets as the C library can read them in a locale without collation.
#pragma once

#include <string>
#include <string_view>

#include "pattern/alphabet.h"

namespace mr::pattern {

// `text`, a basic or extended pattern that is well-formed, with the characters one by one in place
// of brackets that hold ranges or elements beyond ASCII ([à-ü], [[=é=]]): those go by code point
// here, and the C library refuses them. Bytes that are no characters stay among them, except as ends
// of ranges: such a bracket stays as it is. A bracket of very many characters stays as it is.
std::string SpellOutBrackets(std::string_view text, const Alphabet& alphabet);

}  // namespace mr::pattern
