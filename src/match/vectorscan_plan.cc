#include "match/vectorscan_finder.h"
#include "pattern/combine.h"
#include "pattern/emit_literals.h"

namespace mr::match {
namespace {

// From here on a list is compiled as plain strings, which is much faster to compile but knows
// no -w and -x.
constexpr std::size_t kManyLiterals = 100;

}  // namespace

std::optional<DatabasePlan> PlanDatabase(const pattern::Source& source,
                                         const pattern::Alphabet& alphabet,
                                         const pattern::Node& tree) {
  DatabasePlan plan;
  plan.terminator = source.terminator;
  if (tree.children.size() > kMostAlternatives) return std::nullopt;
  if (tree.children.size() >= kManyLiterals) {
    if (auto list = pattern::EmitLiterals(tree, alphabet)) {
      plan.literals = std::move(list->literals);
      plan.literals.insert(plan.literals.end(), list->others.begin(), list->others.end());
      plan.caseless = list->caseless;
      return plan;
    }
  }
  std::optional<pattern::Node> bounded;
  if (source.match_line) {
    bounded = pattern::MatchWholeLine(tree);
  } else if (source.match_word) {
    bounded = pattern::MatchWord(tree, alphabet);
  }
  plan.expression = pattern::EmitSuperset(bounded ? *bounded : tree, alphabet, source.terminator);
  if (!plan.expression) return std::nullopt;
  return plan;
}

}  // namespace mr::match
