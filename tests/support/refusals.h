// What a way of reading that the user named says of what it cannot serve.
#pragma once

#include <string_view>

namespace mr::test {

// Whether `text`, what a run printed, says that a file cannot be read in that way by its nature, or
// that the machine cannot read so.
bool SaysRefusal(std::string_view text);

}  // namespace mr::test
