#include "pattern/emit_required.h"

#include <algorithm>
#include <set>
#include <utility>

#include "pattern/byte_rarity.h"
#include "pattern/folded_letter.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

// Repeats are written out up to here.
constexpr int kMostCopies = 16;
constexpr std::size_t kMostRepeatedBytes = 256;

constexpr char kCaseBit = 0x20;

class Extractor {
 public:
  explicit Extractor(const Alphabet& alphabet) : alphabet_(alphabet) {}

  // Adds to the run what every match of `node` holds next, or ends the run.
  void Visit(const Node& node) {
    switch (node.kind) {
      case Kind::kEmpty:
        break;
      case Kind::kLiteral:
        for (const char byte : node.literal) Append(byte, 0);
        break;
      case Kind::kSet:
        VisitSet(*node.set);
        break;
      case Kind::kAssert:
        whole_ = false;
        break;
      case Kind::kConcat:
        for (const Node& child : node.children) Visit(child);
        break;
      case Kind::kRepeat:
        VisitRepeat(node);
        break;
      case Kind::kAlternate:
      case Kind::kBackReference:
        Break();
        break;
    }
  }

  std::optional<RequiredLiteral> result() && {
    KeepBetter();
    if (best_.bytes.empty()) return std::nullopt;
    best_.whole = whole_;
    return std::move(best_);
  }

 private:
  void Append(char byte, char fold) {
    run_.bytes += byte;
    run_.folds += fold;
    // Of two cases the capital hardly counts.
    run_.rarity_bits += RarityBits(static_cast<unsigned char>(byte));
  }

  void VisitSet(const CharSet& set) {
    if (set.size() == 1) {
      std::string encoded;
      alphabet_.Encode(set.ranges().front().first, encoded);
      for (const char byte : encoded) Append(byte, 0);
      return;
    }
    std::set<char32_t> others;
    const std::optional<char> letter =
        set.empty() ? std::nullopt : FoldedLetter(set, others);
    if (!letter) return Break();
    Append(*letter, kCaseBit);
    for (const char32_t c : others) {
      std::string encoded;
      alphabet_.Encode(c, encoded);
      if (run_.leads.find(encoded[0]) == std::string::npos) run_.leads += encoded[0];
    }
  }

  void VisitRepeat(const Node& node) {
    if (node.min == 0) return Break();
    int copies = 0;
    do {
      Visit(node.children[0]);
      long_ = long_ || run_.bytes.size() > kMostRepeatedBytes;
    } while (++copies < std::min(node.min, kMostCopies) && !long_);
    if (copies != node.max) Break();
  }

  // What comes next need not be adjacent.
  void Break() {
    whole_ = false;
    KeepBetter();
    run_ = {};
  }

  void KeepBetter() {
    if (run_.rarity_bits > best_.rarity_bits) best_ = run_;
  }

  const Alphabet& alphabet_;
  RequiredLiteral run_;
  RequiredLiteral best_;
  bool whole_ = true;
  bool long_ = false;  // so no repeat is written out any more
};

}  // namespace

std::optional<RequiredLiteral> EmitRequired(const Node& tree, const Alphabet& alphabet) {
  Extractor extractor(alphabet);
  extractor.Visit(tree);
  return std::move(extractor).result();
}

}  // namespace mr::pattern
