// From a seed and a number to a case, always the same one.
#pragma once

#include <cstdint>

#include "differential/case.h"

namespace differential {

Case MakeCase(std::uint64_t seed, std::uint64_t number);

}  // namespace differential
