#include "lab/data/pieces.h"

#include <bit>
#include <numeric>

namespace mr::lab {

std::vector<std::uint64_t> UniformWeights(std::size_t items) {
  return std::vector<std::uint64_t>(items, std::uint64_t{1} << 40);
}

std::vector<std::uint64_t> ZipfWeights(std::size_t items) {
  std::vector<std::uint64_t> weights(items);
  for (std::size_t rank = 0; rank < items; ++rank) {
    weights[rank] = (std::uint64_t{1} << 40) / (rank + 3);
  }
  return weights;
}

SkewedIndex::SkewedIndex(const std::vector<std::uint64_t>& weights) {
  const std::size_t items = weights.size();
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});

  // Entry e stands for the part [e, e + 1) / 4096 of the cumulative weight; `rank` is the item in
  // which that part begins and `below` the weight of all items before it.
  std::size_t rank = 0;
  std::uint64_t below = 0;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const std::uint64_t begin = total / entries_.size() * e;
    const std::uint64_t end = total / entries_.size() * (e + 1);
    while (rank + 1 < items && below + weights[rank] <= begin) below += weights[rank++];
    std::size_t span = 1;
    for (std::uint64_t upto = below + weights[rank];
         rank + span < items && upto + weights[rank + span] <= end; ++span) {
      upto += weights[rank + span];
    }
    entries_[e] = {static_cast<std::uint16_t>(rank),
                   static_cast<std::uint16_t>(std::bit_floor(span) - 1)};
  }
}

PieceTable::PieceTable(const std::vector<std::string>& texts,
                       const std::vector<std::uint64_t>& weights)
    : index_(weights) {
  pieces_.reserve(texts.size());
  for (const std::string& text : texts) pieces_.push_back(Piece::Of(text));
}

PieceTable PieceTable::Uniform(const std::vector<std::string>& texts) {
  return {texts, UniformWeights(texts.size())};
}

PieceTable PieceTable::Zipf(const std::vector<std::string>& texts) {
  return {texts, ZipfWeights(texts.size())};
}

void LineTemplate::AddGap(std::string* literal, const PieceTable* table) {
  static const PieceTable* const kNothing = new PieceTable(PieceTable::Uniform({""}));
  gaps_.push_back({Piece::Of(*literal), table != nullptr ? table : kNothing});
  literal->clear();
}

}  // namespace mr::lab
