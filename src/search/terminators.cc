#include "search/terminators.h"

#include <algorithm>
#include <cstddef>

#include "match/processor.h"

namespace mr::search {
namespace {

// Written for the vectoriser: byte-wide counters, drained before they can overflow.
__attribute__((always_inline)) inline std::uint64_t Count(std::string_view bytes, char terminator) {
  const char* data = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t total = 0;
  constexpr std::size_t kLanes = 64;
  while (left >= kLanes) {
    const std::size_t rounds = std::min<std::size_t>(left / kLanes, 255);
    std::uint8_t lanes[kLanes] = {};
    for (std::size_t round = 0; round < rounds; ++round, data += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = static_cast<std::uint8_t>(lanes[lane] + (data[lane] == terminator ? 1 : 0));
      }
    }
    for (const std::uint8_t lane : lanes) total += lane;
    left -= rounds * kLanes;
  }
  for (; left > 0; --left, ++data) total += *data == terminator ? 1 : 0;
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::uint64_t CountByAvx2(std::string_view bytes, char terminator) {
  return Count(bytes, terminator);
}
#endif

}  // namespace

std::uint64_t CountTerminators(std::string_view bytes, char terminator) {
#if defined(__x86_64__)
  if (match::HasAvx2()) return CountByAvx2(bytes, terminator);
#endif
  return Count(bytes, terminator);
}

}  // namespace mr::search
