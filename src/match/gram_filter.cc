// An automaton for thousands of words does not fit the caches. Most places of a text can be ruled
// out by their first bytes alone, with a bit of a table that does; of those that remain most by a
// few bytes more. (S. Wu and U. Manber, "A fast algorithm for multi-pattern searching", 1994, hash
// blocks of characters to the same end; there they also shift, which long lists leave little of.)
#include "match/gram_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace mr::match {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kCaseBits = 0x2020202020202020;

// Odd, with its bits spread: the golden ratio's (Knuth, The Art of Computer Programming, 6.4).
constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;

constexpr int kLeastHashBits = 17;  // 16 KiB, within the first-level cache
constexpr int kMostHashBits = 22;   // 512 KiB, within the second
constexpr std::size_t kBitsPerLiteral = 32;

std::uint64_t Load(const char* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

// The first `bytes` bytes in memory order.
std::uint64_t MaskOf(std::size_t bytes) {
  char ones[kWordBytes] = {};
  std::fill_n(ones, bytes, '\xff');
  return Load(ones, kWordBytes);
}

bool Holds(const std::vector<std::uint64_t>& bits, std::size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

void Add(std::vector<std::uint64_t>& bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

}  // namespace

GramFilter::GramFilter(const std::vector<std::string_view>& beginnings, std::size_t length,
                       bool caseless, std::string leads)
    : length_(std::min(length, kWordBytes)),
      fold_(caseless ? kCaseBits : 0),
      short_mask_(MaskOf(std::min<std::size_t>(length_, 4))),
      long_mask_(MaskOf(length_)),
      bits_(std::clamp(static_cast<int>(std::bit_width(beginnings.size() * kBitsPerLiteral)),
                       kLeastHashBits, kMostHashBits)),
      short_((std::size_t{1} << bits_) / 64),
      long_(short_.size()),
      leads_(std::move(leads)) {
  for (const std::string_view beginning : beginnings) {
    const std::uint64_t bytes = Load(beginning.data(), length_) | fold_;
    Add(short_, Short(bytes));
    Add(long_, Long(bytes));
  }
}

std::size_t GramFilter::Short(std::uint64_t bytes) const {
  return (bytes & short_mask_) * kMultiplier >> (64 - bits_);
}

std::size_t GramFilter::Long(std::uint64_t bytes) const {
  const std::uint64_t all = bytes & long_mask_;
  return (all ^ all >> 29) * kMultiplier >> (64 - bits_);
}

bool GramFilter::HoldsLeads(std::string_view block) const {
  return std::any_of(leads_.begin(), leads_.end(),
                     [block](char lead) { return block.find(lead) != std::string_view::npos; });
}

std::size_t GramFilter::Next(std::string_view block, std::size_t from, bool look_for_leads) const {
  return look_for_leads ? NextAs<true>(block, from) : NextAs<false>(block, from);
}

template <bool kLeads>
std::size_t GramFilter::NextAs(std::string_view block, std::size_t from) const {
  const auto is_lead = [&](std::size_t at) {
    return kLeads && leads_.find(block[at]) != std::string::npos;
  };
  std::size_t at = from;
  for (; at + kWordBytes <= block.size(); ++at) {
    const std::uint64_t bytes = Load(block.data() + at, kWordBytes) | fold_;
    if (Holds(short_, Short(bytes)) && Holds(long_, Long(bytes))) return at;
    if (is_lead(at)) return at;
  }
  for (; at < block.size(); ++at) {
    const std::size_t left = block.size() - at;
    if ((left >= length_ && Holds(long_, Long(Load(block.data() + at, left) | fold_))) ||
        is_lead(at)) {
      return at;
    }
  }
  return at;
}

}  // namespace mr::match
