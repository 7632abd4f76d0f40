#include "pattern/emit_required.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pattern/byte_rarity.h"
#include "pattern/folded_letter.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

// Repeats are written out up to here.
constexpr int kMostCopies = 16;
constexpr std::size_t kMostRepeatedBytes = 256;

constexpr char kCaseBit = 0x20;

// Where a byte takes more values than these bits give, looking for it finds too much.
constexpr int kMostFoldedBits = 2;
// How much more frequent than bytes are on the whole those of a script are in text of that script.
constexpr int kScriptBits = 4;

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
    const std::optional<char> letter = FoldedLetter(set, others);
    if (!letter) return VisitVariants(set);
    Append(*letter, kCaseBit);
    for (const char32_t c : others) {
      std::string encoded;
      alphabet_.Encode(c, encoded);
      AddLead(encoded[0]);
    }
  }

  // A few characters beyond ASCII: what -i makes of a letter, whose two or three forms differ in a
  // few bits as a rule (U+0434 and U+0414: d0 b4 and d0 94), or a small bracket expression.
  void VisitVariants(const CharSet& set) {
    if (!alphabet_.utf8() || set.size() > kFewCharacters || set.ranges().empty() ||
        set.ranges().front().first <= kLastAscii) {
      return Break();
    }
    std::map<std::size_t, std::vector<std::string>> by_length;
    for (const CharRange& r : set.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) {
        std::string encoded;
        alphabet_.Encode(c, encoded);
        by_length[encoded.size()].push_back(encoded);
      }
    }
    const auto main = std::max_element(
        by_length.begin(), by_length.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const std::vector<std::string>& forms = main->second;
    std::string folds(main->first, '\0');
    int folded_bits = 0;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      unsigned fold = 0;
      for (const std::string& form : forms) {
        fold |= static_cast<unsigned char>(form[i] ^ forms.front()[i]);
      }
      if (std::popcount(fold) > kMostFoldedBits) return Break();
      folded_bits += std::popcount(fold);
      folds[i] = static_cast<char>(fold);
    }
    if (forms.size() != std::size_t{1} << folded_bits) whole_ = false;  // others fit the bits, too
    for (std::size_t i = 0; i < folds.size(); ++i) {
      run_.bytes += static_cast<char>(forms.front()[i] | folds[i]);
      run_.folds += folds[i];
    }
    run_.rarity_bits +=
        std::max(0, RarityBits(static_cast<unsigned char>(forms.front().back())) - kScriptBits);
    for (const auto& [length, others] : by_length) {
      if (length == main->first) continue;
      for (const std::string& other : others) AddLead(other[0]);
    }
  }

  void AddLead(char byte) {
    if (run_.leads.find(byte) == std::string::npos) run_.leads += byte;
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
