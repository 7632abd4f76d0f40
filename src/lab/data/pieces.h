// Ready-made pieces of text, drawn with the skew of natural text and copied without branches.
//
// Generated text must come faster than a page cache takes it, which leaves about two nanoseconds
// for a word. So every word, identifier or number lies rendered in a 32-byte piece that is copied
// whole, whatever its length; what follows overwrites the rest.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data/random.h"

namespace mr::lab {

// At most kBytes - 1 bytes of text; spaces behind them.
template <std::size_t kBytes>
struct BasicPiece {
  std::array<char, kBytes - 1> bytes;
  std::uint8_t length;

  // Throws std::logic_error when `text` is too long: pieces are made from text of this program.
  static BasicPiece Of(std::string_view text) {
    BasicPiece piece;
    if (text.size() > piece.bytes.size()) {
      throw std::logic_error("piece of text too long: " + std::string(text));
    }
    piece.bytes.fill(' ');
    text.copy(piece.bytes.data(), text.size());
    piece.length = static_cast<std::uint8_t>(text.size());
    return piece;
  }
};

inline constexpr std::size_t kPieceBytes = 32;
using Piece = BasicPiece<kPieceBytes>;

// Writes kBytes to `out`, of which piece.length count, and returns the end of those.
template <std::size_t kBytes>
inline char* Append(char* out, const BasicPiece<kBytes>& piece) {
  static_assert(sizeof(piece) == kBytes);
  std::memcpy(out, &piece, kBytes);
  return out + piece.length;
}

// Weights for ranks 0, 1, ...: all the same, or 1 / (rank + 3), after Zipf and Mandelbrot.
std::vector<std::uint64_t> UniformWeights(std::size_t items);
std::vector<std::uint64_t> ZipfWeights(std::size_t items);

// Draws an index in constant time. 4096 equally likely entries each hold a power of two of
// neighbouring items: one item for those with more than 1/4096 of the weight, many for rare ones.
class SkewedIndex {
 public:
  // 1 to 65536 weights, the larger ones first, their sum between 2^12 and 2^63.
  explicit SkewedIndex(const std::vector<std::uint64_t>& weights);

  std::uint32_t Pick(std::uint32_t random_bits) const {
    const Entry entry = entries_[random_bits >> (32 - kEntryBits)];
    return entry.first + (random_bits & entry.mask);
  }

 private:
  static constexpr int kEntryBits = 12;
  struct Entry {
    std::uint16_t first;
    std::uint16_t mask;
  };
  std::array<Entry, 1 << kEntryBits> entries_;
};

// Immutable and thread-safe.
class PieceTable {
 public:
  PieceTable(const std::vector<std::string>& texts, const std::vector<std::uint64_t>& weights);
  static PieceTable Uniform(const std::vector<std::string>& texts);
  static PieceTable Zipf(const std::vector<std::string>& texts);  // most frequent first

  const Piece& Pick(std::uint32_t random_bits) const { return pieces_[index_.Pick(random_bits)]; }

 private:
  std::vector<Piece> pieces_;
  SkewedIndex index_;
};

// A line with gaps: "%w" is drawn from the table that `table_of('w')` names, "%%" is a percent
// sign. Tables must outlive the template.
class LineTemplate {
 public:
  template <typename TableOf>
  LineTemplate(std::string_view pattern, const TableOf& table_of) {
    std::string literal;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%' || pattern[++i] == '%') {
        literal += pattern[i];
        if (literal.size() == kPieceBytes - 1) AddGap(&literal, nullptr);
      } else {
        AddGap(&literal, table_of(pattern[i]));
      }
    }
    if (!literal.empty()) AddGap(&literal, nullptr);
  }

  // At most max_bytes(), and kPieceBytes behind them are overwritten.
  char* Render(char* out, Random& random) const {
    // A local generator: characters may alias anything, so that a member's state would travel
    // through memory at each gap.
    Random local = random;
    for (const Gap *gap = gaps_.data(), *const end = gap + gaps_.size(); gap != end; ++gap) {
      const Piece& piece = gap->table->Pick(Next32(local));
      out = Append(Append(out, gap->before), piece);
    }
    random = local;
    return out;
  }

  std::size_t max_bytes() const { return gaps_.size() * 2 * kPieceBytes; }

 private:
  struct Gap {
    Piece before;
    const PieceTable* table;
  };
  void AddGap(std::string* literal, const PieceTable* table);  // null: nothing is drawn

  std::vector<Gap> gaps_;
};

}  // namespace mr::lab
