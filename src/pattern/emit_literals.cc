#include "pattern/emit_literals.h"

#include <set>
#include <span>
#include <utility>

#include "pattern/folded_letter.h"

namespace mr::pattern {
namespace {

using Kind = Node::Kind;

class Collector {
 public:
  explicit Collector(const Alphabet& alphabet) : alphabet_(alphabet) {}

  bool Add(const Node& node) {
    switch (node.kind) {
      case Kind::kLiteral:
        list_.literals.push_back(node.literal);
        break;
      case Kind::kSet:
        return AddSequence({&node, 1});
      case Kind::kConcat:
        return AddSequence(node.children);
      default:
        return false;
    }
    return true;
  }

  LiteralList list() && {
    for (const char32_t c : others_) alphabet_.Encode(c, list_.others.emplace_back());
    return std::move(list_);
  }

 private:
  // The longest run of characters that the list can express stands for the whole.
  bool AddSequence(std::span<const Node> parts) {
    std::string best;
    std::string run;
    for (const Node& part : parts) {
      if (part.kind == Kind::kLiteral) {
        run += part.literal;
      } else if (part.kind == Kind::kSet && alphabet_.ignore_case()) {
        std::set<char32_t> others;
        if (const std::optional<char> letter = FoldedLetter(*part.set, others)) {
          run += *letter;
          list_.caseless = true;
          others_.merge(others);
        } else {
          if (run.size() > best.size()) best = run;
          run.clear();
        }
      } else {
        return false;
      }
    }
    if (run.size() > best.size()) best = run;
    if (best.empty()) return false;
    list_.literals.push_back(std::move(best));
    return true;
  }

  const Alphabet& alphabet_;
  LiteralList list_;
  std::set<char32_t> others_;
};

}  // namespace

std::optional<LiteralList> EmitLiterals(const Node& tree, const Alphabet& alphabet) {
  Collector collector(alphabet);
  if (tree.kind == Kind::kAlternate) {
    for (const Node& child : tree.children) {
      if (!collector.Add(child)) return std::nullopt;
    }
  } else if (!collector.Add(tree)) {
    return std::nullopt;
  }
  return std::move(collector).list();
}

}  // namespace mr::pattern
