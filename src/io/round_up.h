// Sizes in whole units: pages, sectors, windows.
#pragma once

#include <cstddef>

namespace mr::io {

// The least multiple of `unit`, which must not be 0, that is no less than `value`. That multiple
// must fit.
constexpr std::size_t RoundUp(std::size_t value, std::size_t unit) {
  return (value / unit + (value % unit != 0 ? 1 : 0)) * unit;
}

}  // namespace mr::io
