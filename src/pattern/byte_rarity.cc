#include "pattern/byte_rarity.h"

#include <array>
#include <cstdint>

namespace mr::pattern {
namespace {

constexpr int kMostBits = 24;

// clang-format off
constexpr std::array<std::uint8_t, 256> kBits = {
    24, 24, 24, 24, 24, 24, 24, 24, 24,  6,  5, 24, 20, 24, 24, 24,  // 0x00
    24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,  // 0x10
     3, 12,  8,  8, 13, 10, 10, 12,  8,  8,  7, 11,  7,  7,  7,  7,  // 0x20
     5,  6,  7,  7,  7,  8,  7,  8,  8,  8,  8,  8, 10,  8, 10, 12,  // 0x30
    12,  8,  9,  8,  8,  7,  8,  8, 10,  7, 14, 10,  8,  8,  8,  8,  // 0x40
     8, 11,  8,  8,  7,  9, 10, 10,  9, 11, 10,  9,  9,  9, 15,  6,  // 0x50
    17,  5,  7,  6,  6,  4,  6,  7,  6,  5, 10,  8,  6,  6,  5,  5,  // 0x60
     6, 10,  5,  5,  5,  6,  7,  7,  7,  7,  9, 10, 11, 10, 13, 24,  // 0x70
     9,  9,  9, 11, 13, 12, 13, 11, 14, 13, 16, 11, 11, 13, 12, 11,  // 0x80
    11, 13, 12, 14, 14, 13, 16, 14, 12, 14, 12, 12, 13, 12, 12, 13,  // 0x90
    13, 12, 12, 13, 15, 16, 16, 14, 16, 18, 19, 13, 16, 15, 16, 12,  // 0xa0
     9, 11, 10, 12, 10,  9, 12, 11,  9, 11, 10, 10, 10,  9,  9, 10,  // 0xb0
    24, 24, 12, 15, 16, 16, 24, 24, 21, 24, 24, 20, 24, 24, 18, 20,  // 0xc0
     6,  7, 23, 24, 22, 20, 22, 19, 19, 20, 24, 24, 24, 24, 24, 24,  // 0xd0
    17, 19, 16, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,  // 0xe0
    24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,  // 0xf0
};
// clang-format on

}  // namespace

int RarityBits(unsigned char byte) { return kBits[byte]; }

double Share(const ByteSet& bytes) {
  std::uint32_t units = 0;  // of which the text is 2^kMostBits
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    if (bytes[byte]) units += 1U << (kMostBits - kBits[byte]);
  }
  return static_cast<double>(units) / (1U << kMostBits);
}

double RarityBits(const ByteSet& bytes) {
  double share = Share(bytes);
  if (share == 0) return kMostBits;
  // The logarithm, straight between powers of two: at most 0.09 off, and no need of libm.
  int bits = 0;
  for (; share < 1; share *= 2) ++bits;
  return bits + 1 - share;
}

}  // namespace mr::pattern
