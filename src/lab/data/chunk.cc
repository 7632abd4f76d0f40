#include "lab/data/chunk.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mr::lab {
namespace {

std::unique_ptr<LineMaker> MakeLinesOf(DataKind kind) {
  switch (kind) {
    case DataKind::kLog:
    case DataKind::kSparse:
      return MakeLogLines();
    case DataKind::kSource:
      return MakeSourceLines();
    case DataKind::kProse:
      return MakeProseLines(false);
    case DataKind::kCyrillic:
      return MakeProseLines(true);
    case DataKind::kWords:
      return MakeWordLines();
    case DataKind::kOneLine:
      return MakeJsonElements();
    case DataKind::kRandom:
      break;
  }
  return nullptr;
}

// One chunk of each group of this many in a sparse file holds data.
constexpr std::uint64_t kChunksPerIsland = 64;

constexpr std::uint64_t kIslandPurpose = 0x100;  // the purposes below are the kinds

void StoreLittleEndian(char* out, std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &value, sizeof(value));
  } else {
    for (std::size_t i = 0; i < sizeof(value); ++i) out[i] = static_cast<char>(value >> (8 * i));
  }
}

}  // namespace

void LineMaker::Finish(char* out, std::size_t room, const char* cut) {
  std::size_t bytes = room - 1;
  std::memcpy(out, cut, bytes);
  // No half of a character: back to where it begins, if one is cut.
  if ((static_cast<unsigned char>(cut[bytes]) & 0xC0) == 0x80) {
    while (bytes > 0 && (static_cast<unsigned char>(cut[bytes]) & 0xC0) == 0x80) --bytes;
    std::memset(out + bytes, '.', room - 1 - bytes);
  }
  out[room - 1] = '\n';
}

ChunkMaker::ChunkMaker(const DataSpec& spec)
    : kind_(spec.kind),
      seed_(spec.seed),
      size_bytes_(spec.size_bytes),
      chunks_((spec.size_bytes + kChunkBytes - 1) / kChunkBytes),
      lines_(MakeLinesOf(spec.kind)),
      buffer_(kChunkBytes + kLineSlackBytes) {}

std::uint64_t ChunkMaker::ChunkBytes(std::uint64_t index) const {
  return std::min(kChunkBytes, size_bytes_ - ChunkOffset(index));
}

bool ChunkMaker::IsHole(std::uint64_t index) const {
  if (kind_ != DataKind::kSparse) return false;
  const std::uint64_t group = index / kChunksPerIsland;
  const std::uint64_t in_group = std::min(kChunksPerIsland, chunks_ - group * kChunksPerIsland);
  const std::uint64_t island = RandomStream(seed_, kIslandPurpose, group).Next() % in_group;
  return index % kChunksPerIsland != island;
}

std::uint64_t ChunkMaker::bytes_outside_holes() const {
  if (kind_ != DataKind::kSparse) return size_bytes_;
  const std::uint64_t islands = (chunks_ + kChunksPerIsland - 1) / kChunksPerIsland;
  const std::uint64_t last = chunks_ - 1;  // may be shorter than the others
  return islands * kChunkBytes - (IsHole(last) ? 0 : kChunkBytes - ChunkBytes(last));
}

std::span<char> ChunkMaker::Make(std::uint64_t index, std::size_t min_length,
                                 std::vector<Place>* places) {
  if (places != nullptr) places->clear();
  const std::span<char> chunk(buffer_.data(), ChunkBytes(index));
  if (IsHole(index)) {
    std::fill(chunk.begin(), chunk.end(), '\0');
  } else if (lines_ == nullptr) {
    MakeRandom(index, chunk, min_length, places);
  } else {
    MakeLines(index, chunk, min_length, places);
  }
  return chunk;
}

void ChunkMaker::MakeLines(std::uint64_t index, std::span<char> chunk, std::size_t min_length,
                           std::vector<Place>* places) {
  char* const begin = chunk.data();
  char* const end = begin + chunk.size();
  char* out = begin;
  // All of a one-line file is one line: a single place, in its middle chunk.
  const bool one_line = kind_ == DataKind::kOneLine;
  const std::size_t max_places = !one_line ? SIZE_MAX : index == (chunks_ - 1) / 2 ? 1 : 0;
  const auto keep = [&](const char* line, const Place& place) {
    if (places != nullptr && place.length >= min_length && places->size() < max_places) {
      places->push_back({static_cast<std::uint32_t>(line - begin) + place.offset, place.length});
    }
  };

  lines_->Start(RandomStream(seed_, static_cast<std::uint64_t>(kind_), index), index,
                size_bytes_ - ChunkOffset(index) - chunk.size());
  if (kind_ == DataKind::kSparse && index > 0) *out++ = '\n';  // ends the hole's "line"
  Place place;
  while (end - out >= static_cast<std::ptrdiff_t>(2 * kMaxLineBytes)) {
    char* const line = out;
    out = lines_->Line(out, &place);
    keep(line, place);
  }
  char scratch[kMaxLineBytes + kLineSlackBytes];
  while (out < end) {
    const auto room = static_cast<std::size_t>(end - out);
    const auto bytes = static_cast<std::size_t>(lines_->Line(scratch, &place) - scratch);
    if (!lines_->Fits(bytes, room)) {
      lines_->Finish(out, room, scratch);
      return;
    }
    std::memcpy(out, scratch, bytes);
    keep(out, place);
    out += bytes;
  }
}

void ChunkMaker::MakeRandom(std::uint64_t index, std::span<char> chunk, std::size_t min_length,
                            std::vector<Place>* places) const {
  Random random = RandomStream(seed_, static_cast<std::uint64_t>(kind_), index);
  // The last eight bytes may reach into the slack.
  for (char* out = chunk.data(); out < chunk.data() + chunk.size(); out += 8) {
    StoreLittleEndian(out, random.Next());
  }
  if (places == nullptr) return;
  // Lines that reach over the border of two chunks are nobody's.
  const char* const begin = chunk.data();
  const char* const end = begin + chunk.size();
  const char* line = index == 0 ? begin : std::find(begin, end, '\n') + 1;
  while (line < end) {
    const char* const newline = std::find(line, end, '\n');
    if (newline == end && index + 1 != chunks_) break;
    if (static_cast<std::size_t>(newline - line) >= min_length) {
      places->push_back(
          {static_cast<std::uint32_t>(line - begin), static_cast<std::uint32_t>(newline - line)});
    }
    line = newline + 1;
  }
}

}  // namespace mr::lab
