#include "match/accelerator.h"

#ifdef MRGREP_VECTORSCAN

#include <mutex>

#include "match/vectorscan_finder.h"
#include "pattern/combine.h"
#include "pattern/emit_literals.h"
#include "pattern/emit_superset.h"

namespace mr::match {
namespace {

// From here on a list is compiled as plain strings, which is much faster to compile but knows
// no -w and -x.
constexpr std::size_t kManyLiterals = 100;
// Compiling takes memory that grows faster than the list: 100,000 words took more than 7 GB.
constexpr std::size_t kMostLiterals = 2000;

std::optional<FinderPlan> MakePlan(const pattern::Source& source, const pattern::Alphabet& alphabet,
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

}  // namespace

class Accelerator::Lazy {
 public:
  Lazy(const pattern::Source& source, const pattern::Alphabet& alphabet, const pattern::Node& tree,
       Promise promise)
      : source_(source), alphabet_(alphabet), tree_(tree), promise_(promise) {}

  const FinderDatabase* database() {
    std::call_once(once_, [this] {
      std::optional<FinderPlan> plan = MakePlan(source_, alphabet_, tree_);
      if (plan && promise_ == Promise::kSuperset) plan->exact = plan->exact_on_ascii = false;
      if (plan) database_ = FinderDatabase::Compile(*plan);
    });
    return database_.get();
  }

 private:
  const pattern::Source& source_;
  const pattern::Alphabet& alphabet_;
  const pattern::Node& tree_;
  const Promise promise_;
  std::once_flag once_;
  std::unique_ptr<FinderDatabase> database_;
};

Accelerator::Accelerator() = default;
Accelerator::~Accelerator() = default;

void Accelerator::Plan(const pattern::Source& source, const pattern::Alphabet& alphabet,
                       const pattern::Node& tree, Promise promise) {
  lazy_ = std::make_unique<Lazy>(source, alphabet, tree, promise);
}

std::unique_ptr<CandidateFinder> Accelerator::NewFinder(
    std::function<std::unique_ptr<Matcher>()> make_matcher) const {
  const FinderDatabase* database = lazy_ == nullptr ? nullptr : lazy_->database();
  if (database == nullptr) return nullptr;
  return database->NewFinder(std::move(make_matcher));
}

}  // namespace mr::match

#else

namespace mr::match {

class Accelerator::Lazy {};

Accelerator::Accelerator() = default;
Accelerator::~Accelerator() = default;

void Accelerator::Plan(const pattern::Source&, const pattern::Alphabet&, const pattern::Node&,
                       Promise) {}

std::unique_ptr<CandidateFinder> Accelerator::NewFinder(
    std::function<std::unique_ptr<Matcher>()>) const {
  return nullptr;
}

}  // namespace mr::match

#endif
