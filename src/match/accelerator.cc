#include "match/accelerator.h"

#include <optional>

#include "match/literal_finder.h"

#ifdef MRGREP_VECTORSCAN
#include <mutex>

#include "match/vectorscan_finder.h"
#include "pattern/combine.h"
#include "pattern/emit_literals.h"
#include "pattern/emit_superset.h"
#endif

namespace mr::match {
namespace {

// A literal that is only part of the pattern is looked for when it can be expected less than once
// in 256 KiB of text; more frequent ones cost more to confirm than an automaton saves.
constexpr int kRareBits = 18;

std::optional<LiteralPlan> PlanLiteral(const pattern::Source& source,
                                       const pattern::Alphabet& alphabet,
                                       const pattern::Node& tree) {
  if (!LiteralFindersRun()) return std::nullopt;
  std::optional<pattern::RequiredLiteral> literal = pattern::EmitRequired(tree, alphabet);
  if (!literal || literal->leads.size() > kMostLeads) return std::nullopt;
  if (!literal->whole && literal->rarity_bits < kRareBits) return std::nullopt;
  if (literal->bytes.find(source.terminator) != std::string::npos ||
      literal->bytes.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  LiteralPlan plan;
  const bool whole = literal->whole && !source.match_line;
  plan.as_word = whole && source.match_word;
  plan.exact_on_ascii = whole;
  plan.exact = whole && literal->leads.empty() && !source.match_word;
  plan.stops_at_nul = source.nul_ends_line;
  plan.literal = std::move(*literal);
  return plan;
}

#ifdef MRGREP_VECTORSCAN

// From here on a list is compiled as plain strings, which is much faster to compile but knows
// no -w and -x.
constexpr std::size_t kManyLiterals = 100;
// Compiling takes memory that grows faster than the list: 100,000 words took more than 7 GB.
constexpr std::size_t kMostLiterals = 2000;

std::optional<FinderPlan> PlanDatabase(const pattern::Source& source, const pattern::Alphabet& alphabet,
                                   const pattern::Node& tree) {
  FinderPlan plan;
  plan.terminator = source.terminator;
  if (tree.children.size() > kMostLiterals) return std::nullopt;
  if (tree.children.size() >= kManyLiterals) {
    if (auto list = pattern::EmitLiterals(tree, alphabet)) {
      plan.literals = std::move(list->literals);
      plan.caseless = list->caseless;
      plan.exact = list->exact && !source.match_word && !source.match_line;
      plan.exact_on_ascii = plan.exact;
      return plan;
    }
  }
  bool complete = true;  // -w and -x are part of the expression
  std::optional<pattern::Node> bounded;
  if (source.match_line) {
    bounded = pattern::MatchWholeLine(tree);
  } else if (source.match_word) {
    bounded = pattern::MatchWord(tree, alphabet);
    complete = bounded.has_value();
  }
  plan.expression = pattern::EmitSuperset(bounded ? *bounded : tree, alphabet, source.terminator);
  if (!plan.expression) return std::nullopt;
  plan.exact = complete && plan.expression->exact;
  plan.exact_on_ascii = complete && plan.expression->exact_on_ascii;
  return plan;
}

#endif

}  // namespace

#ifdef MRGREP_VECTORSCAN

class Accelerator::Lazy {
 public:
  Lazy(const pattern::Source& source, const pattern::Alphabet& alphabet, const pattern::Node& tree,
       Promise promise)
      : source_(source), alphabet_(alphabet), tree_(tree), promise_(promise) {}

  std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) {
    std::call_once(once_, [this] {
      std::optional<FinderPlan> plan = PlanDatabase(source_, alphabet_, tree_);
      if (plan && promise_ == Promise::kSuperset) plan->exact = plan->exact_on_ascii = false;
      if (plan) database_ = FinderDatabase::Compile(*plan);
    });
    return database_ == nullptr ? nullptr : database_->NewFinder(std::move(make_matcher));
  }

 private:
  const pattern::Source& source_;
  const pattern::Alphabet& alphabet_;
  const pattern::Node& tree_;
  const Promise promise_;
  std::once_flag once_;
  std::unique_ptr<FinderDatabase> database_;
};

#else

class Accelerator::Lazy {
 public:
  Lazy(const pattern::Source&, const pattern::Alphabet&, const pattern::Node&, Promise) {}

  std::unique_ptr<CandidateFinder> NewFinder(
      const std::function<std::unique_ptr<Matcher>()>&) {
    return nullptr;
  }
};

#endif

Accelerator::Accelerator() = default;
Accelerator::~Accelerator() = default;

void Accelerator::Plan(const pattern::Source& source, const pattern::Alphabet& alphabet,
                       const pattern::Node& tree, Promise promise) {
  if (std::optional<LiteralPlan> literal = PlanLiteral(source, alphabet, tree)) {
    if (promise == Promise::kSuperset) literal->exact = literal->exact_on_ascii = false;
    literal_ = std::make_unique<const LiteralPlan>(std::move(*literal));
  } else {
    lazy_ = std::make_unique<Lazy>(source, alphabet, tree, promise);
  }
}

bool Accelerator::cheap() const { return literal_ != nullptr; }

std::unique_ptr<CandidateFinder> Accelerator::NewFinder(
    std::function<std::unique_ptr<Matcher>()> make_matcher) const {
  if (literal_ != nullptr) return NewLiteralFinder(*literal_);
  return lazy_ == nullptr ? nullptr : lazy_->NewFinder(std::move(make_matcher));
}

}  // namespace mr::match
