#include "print/text_check.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <cwchar>

namespace mr::print {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

// The offset of the first byte >= 0x80 at or after `at`, or the size.
std::size_t SkipAscii(std::string_view bytes, std::size_t at) {
  for (; at + 32 <= bytes.size(); at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The length of the multibyte sequence at the beginning of `bytes`, 0 when there is none. The
// second byte's lower bound is what excludes overlong forms.
std::size_t SequenceLength(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  std::size_t length = 0;
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
  if (0xC2 <= first && first <= 0xDF) {
    length = 2;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3;
    if (first == 0xE0) second_min = 0xA0;
    if (first == 0xED) second_max = 0x9F;  // surrogates
  } else if ((first & 0xF8) == 0xF0) {
    length = 4;
    if (first == 0xF0) second_min = 0x90;
  } else if ((first & 0xFC) == 0xF8) {
    length = 5;
    if (first == 0xF8) second_min = 0x88;
  } else if ((first & 0xFE) == 0xFC) {
    length = 6;
    if (first == 0xFC) second_min = 0x84;
  }
  if (length == 0 || bytes.size() < length) return 0;
  if (at(1) < second_min || at(1) > second_max) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!IsContinuation(at(i))) return 0;
  }
  return length;
}

// Goes from `at`, which begins a character, over valid characters of one or two bytes, 16 bytes at
// a time. Returns the beginning of another.
std::size_t SkipShort(std::string_view bytes, std::size_t at) {
#ifdef __SSE2__
  const auto bits = [](__m128i v) { return static_cast<unsigned>(_mm_movemask_epi8(v)); };
  while (at + sizeof(__m128i) <= bytes.size()) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const unsigned beyond = bits(v);
    // As signed numbers those that continue a character are below 0xC0, those that begin one of two
    // bytes from 0xC2 up to 0xDF.
    const unsigned second = bits(_mm_cmplt_epi8(v, _mm_set1_epi8('\xC0')));
    const unsigned first = bits(_mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('\xC1')),
                                              _mm_cmplt_epi8(v, _mm_set1_epi8('\xE0'))));
    if ((first | second) != beyond || (first << 1 & 0xffff) != second) break;
    at += sizeof(__m128i) - (first >> 15);
  }
#endif
  return at;
}

bool IsUtf8(std::string_view bytes) {
  for (std::size_t at = SkipAscii(bytes, 0); (at = SkipShort(bytes, at)) < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const bool two_left = at + 1 < bytes.size();
    const unsigned char second = two_left ? static_cast<unsigned char>(bytes[at + 1]) : 0;
    if (first < 0x80) {  // a blank between words is not worth a call
      at = second < 0x80 && two_left ? SkipAscii(bytes, at) : at + 1;
    } else if (0xC2 <= first && first <= 0xDF) {  // most letters of most alphabets
      if (!IsContinuation(second)) return false;
      at += 2;
    } else {
      const std::size_t length = SequenceLength(bytes.substr(at));
      if (length == 0) return false;
      at += length;
    }
  }
  return true;
}

bool IsLocaleText(std::string_view bytes) {
  std::mbstate_t state{};
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = std::mbrlen(bytes.data() + at, bytes.size() - at, &state);
    if (length == static_cast<std::size_t>(-1) || length == static_cast<std::size_t>(-2)) {
      return false;
    }
    at += length == 0 ? 1 : length;  // a NUL byte
  }
  return true;
}

}  // namespace

bool IsText(std::string_view bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return IsUtf8(bytes);
    case Encoding::kBytes:
      return true;
    case Encoding::kLocale:
      return IsLocaleText(bytes);
  }
  return true;
}

}  // namespace mr::print
