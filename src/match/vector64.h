// 64 bytes at once, for finders. AVX2 only: functions that use it must not be called elsewhere
// (LiteralFindersRun), and are marked MR_AVX2.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define MR_AVX2 __attribute__((target("avx2,bmi")))

namespace mr::match {

struct Bytes64 {
  static constexpr std::size_t kSize = 64;

  __m256i low;
  __m256i high;

  MR_AVX2 static Bytes64 Load(const char* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))};
  }
  // Has the cache fetch what a loop that goes forward will load in a while. The processors' own
  // prefetchers stop where a page ends, so it is a page ahead; it need not be there.
  static void FetchAhead(const char* from) { __builtin_prefetch(from + 4096); }
  MR_AVX2 static Bytes64 All(char byte) { return {_mm256_set1_epi8(byte), _mm256_set1_epi8(byte)}; }
  MR_AVX2 Bytes64 operator|(const Bytes64& o) const {
    return {_mm256_or_si256(low, o.low), _mm256_or_si256(high, o.high)};
  }
  MR_AVX2 Bytes64 operator&(const Bytes64& o) const {
    return {_mm256_and_si256(low, o.low), _mm256_and_si256(high, o.high)};
  }
  MR_AVX2 Bytes64 operator==(const Bytes64& o) const {
    return {_mm256_cmpeq_epi8(low, o.low), _mm256_cmpeq_epi8(high, o.high)};
  }
  MR_AVX2 bool any() const {
    const __m256i all = _mm256_or_si256(low, high);
    return _mm256_testz_si256(all, all) == 0;
  }
  // A bit for each byte, from its own highest.
  MR_AVX2 std::uint64_t bits() const {
    const auto half = [](__m256i v) MR_AVX2 {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(v)));
    };
    return half(low) | half(high) << 32;
  }
};

}  // namespace mr::match
