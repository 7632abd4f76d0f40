#include "lab/data/needles.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "lab/data/chunk.h"

namespace mr::lab {
namespace {

// std::count adds up in 64 bits, which makes it slower than everything else that is done with a
// byte here. Sums of one byte each do not overflow within 255 rounds.
std::uint64_t CountNewlines(std::string_view bytes) {
  constexpr std::size_t kLanes = 64;
  std::uint64_t count = 0;
  while (bytes.size() >= kLanes) {
    const std::size_t rounds = std::min<std::size_t>(255, bytes.size() / kLanes);
    std::array<std::uint8_t, kLanes> sums{};
    for (std::size_t round = 0; round < rounds; ++round) {
      const char* const at = bytes.data() + round * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] = static_cast<std::uint8_t>(sums[lane] + (at[lane] == '\n' ? 1 : 0));
      }
    }
    for (const std::uint8_t sum : sums) count += sum;
    bytes.remove_prefix(rounds * kLanes);
  }
  return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

NeedlePlan NeedlePlan::ByBytes(std::uint64_t needles, std::uint64_t size_bytes) {
  return {needles, size_bytes};
}

NeedlePlan NeedlePlan::ByLines(std::uint64_t needles, const std::vector<std::uint32_t>& places) {
  NeedlePlan plan(needles, 0);
  for (const std::uint32_t count : places) {
    plan.places_before_.push_back(plan.total_);
    plan.total_ += count;
  }
  plan.places_before_.push_back(plan.total_);
  return plan;
}

// The number of k with floor((2k + 1) total / 2n) < at.
std::uint64_t NeedlePlan::Before(std::uint64_t chunk) const {
  if (total_ == 0) return 0;
  using Wide = unsigned __int128;
  const Wide at = places_before_.empty() ? std::min(Wide{chunk} * kChunkBytes, Wide{total_})
                                         : Wide{places_before_[chunk]};
  return static_cast<std::uint64_t>((2 * at * needles_ + total_ - 1) / (2 * Wide{total_}));
}

std::vector<std::uint32_t> PlantNeedles(std::span<char> chunk, std::span<const Place> places,
                                        std::string_view needle, std::uint64_t count,
                                        Random random) {
  std::vector<std::uint32_t> offsets;
  offsets.reserve(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    const Place& place = places[(2 * k + 1) * places.size() / (2 * count)];
    char* const line = chunk.data() + place.offset;
    const auto spare = static_cast<std::uint32_t>(place.length - needle.size());
    const auto begin = static_cast<std::uint32_t>(random.Below(spare + 1));
    auto end = static_cast<std::uint32_t>(begin + needle.size());
    // Blanks, over what is left of a character that the needle or the blank cuts.
    for (; end < place.length && ContinuesCharacter(line[end]); ++end) line[end] = ' ';
    if (end < place.length) {
      line[end++] = ' ';
      for (; end < place.length && ContinuesCharacter(line[end]); ++end) line[end] = ' ';
    }
    for (std::uint32_t at = begin; at > 0;) {
      const bool whole = !ContinuesCharacter(line[--at]);
      line[at] = ' ';
      if (whole) break;
    }
    needle.copy(line + begin, needle.size());
    offsets.push_back(place.offset + begin);
  }
  return offsets;
}

void NeedleCounter::Feed(std::string_view bytes) {
  newlines_ += CountNewlines(bytes);

  const std::size_t overlap = needle_.size() - 1;
  if (!tail_.empty() && !line_counted_) {
    // A needle has no newline: one that reaches over the border is on the line that is open there.
    std::string border = tail_;
    border += bytes.substr(0, overlap);
    if (border.find(needle_) != std::string::npos) {
      ++lines_with_needle_;
      line_counted_ = true;
    }
  }

  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at < end) {
    if (!line_counted_) {
      const void* const found =
          memmem(at, static_cast<std::size_t>(end - at), needle_.data(), needle_.size());
      if (found == nullptr) break;
      at = static_cast<const char*>(found);
      ++lines_with_needle_;
      line_counted_ = true;
    }
    const void* const newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (newline == nullptr) break;
    at = static_cast<const char*>(newline) + 1;
    line_counted_ = false;
  }

  if (bytes.size() >= overlap) {
    tail_ = bytes.substr(bytes.size() - overlap);
  } else {
    tail_ += bytes;
    if (tail_.size() > overlap) tail_.erase(0, tail_.size() - overlap);
  }
}

}  // namespace mr::lab
