#include "match/accelerator.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "match/automaton_finder.h"
#include "match/checked_finder.h"
#include "match/sequence_finder.h"
#include "match/vectorscan_finder.h"
#include "pattern/combine.h"
#include "pattern/emit_positions.h"
#include "pattern/emit_required.h"
#include "pattern/emit_sequences.h"

namespace mr::match {
namespace {

using pattern::Alphabet;
using pattern::Node;
using pattern::Source;

// A literal that is only part of the pattern is looked for when it can be expected less than once
// in 256 KiB of text; more frequent ones cost more to confirm than an automaton saves.
constexpr int kRareBits = 18;

// With a literal of this rarity in every alternative Vectorscan passes over most of the text.
constexpr int kSkippingBits = 8;

std::optional<LiteralPlan> PlanLiteral(const Source& source, const Alphabet& alphabet,
                                       const Node& tree) {
  if (!LiteralFindersRun()) return std::nullopt;
  std::optional<pattern::RequiredLiteral> literal = pattern::EmitRequired(tree, alphabet);
  if (!literal || literal->leads.size() > kMostLeads) return std::nullopt;
  const bool whole = literal->whole && !source.match_line;
  if (!whole && literal->rarity_bits < kRareBits) return std::nullopt;
  if (literal->bytes.find(source.terminator) != std::string::npos ||
      literal->bytes.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  LiteralPlan plan;
  plan.as_word = whole && source.match_word;
  plan.exact_on_ascii = whole;
  plan.exact = whole && literal->leads.empty() && !source.match_word;
  plan.stops_at_nul = source.nul_ends_line;
  plan.literal = std::move(*literal);
  return plan;
}

std::optional<AutomatonPlan> PlanAutomaton(const Source& source, const Alphabet& alphabet,
                                           const Node& tree) {
  if (source.match_word && !source.match_line) return std::nullopt;
  const auto positions = pattern::EmitPositions(
      source.match_line ? pattern::MatchWholeLine(tree) : tree, alphabet, source.terminator);
  if (!positions) return std::nullopt;
  std::optional<LineAutomaton> automaton = LineAutomaton::Make(*positions, source.terminator);
  if (!automaton) return std::nullopt;
  return AutomatonPlan{std::move(*automaton), source.terminator, positions->exact,
                       positions->exact_on_ascii};
}

std::optional<SequencePlan> PlanBranches(const Source& source, const Alphabet& alphabet,
                                         const Node& tree) {
  const bool words = source.match_word && !source.match_line;
  std::optional<pattern::Sequences> sequences = pattern::EmitSequences(
      source.match_line ? pattern::MatchWholeLine(tree) : tree, alphabet, source.terminator,
      words ? pattern::Wanted::kMatches : pattern::Wanted::kLines);
  if (!sequences) return std::nullopt;
  if (words) sequences->exact = false;
  std::optional<SequencePlan> plan = PlanSequences(*std::move(sequences));
  if (!plan) return std::nullopt;
  plan->terminator = source.terminator;
  plan->as_word = words;
  plan->stops_at_nul = source.nul_ends_line;
  return plan;
}

bool HoldsLiterals(const Node& tree, const Alphabet& alphabet) {
  if (tree.kind == Node::Kind::kAlternate) {
    return std::all_of(tree.children.begin(), tree.children.end(),
                       [&](const Node& child) { return HoldsLiterals(child, alphabet); });
  }
  const auto literal = pattern::EmitRequired(tree, alphabet);
  return literal && literal->rarity_bits >= kSkippingBits;
}

}  // namespace

class Accelerator::Automaton {
 public:
  Automaton(const Source& source, const Alphabet& alphabet, const Node& tree, Promise promise)
      : source_(source), alphabet_(alphabet), tree_(tree), promise_(promise) {}

  std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) {
    std::call_once(once_, [this] { Compile(); });
    if (sequences_) {
      auto finder = NewSequenceFinder(*sequences_);
      return automaton_ ? NewCheckedFinder(std::move(finder), *automaton_) : std::move(finder);
    }
    if (database_ != nullptr) {
      auto finder = database_->NewFinder(std::move(make_matcher));
      return automaton_ ? NewCheckedFinder(std::move(finder), *automaton_) : std::move(finder);
    }
    return automaton_ ? NewAutomatonFinder(*automaton_) : nullptr;
  }

 private:
  void Compile() {
    if (tree_.children.size() > kMostAlternatives) return;
    sequences_ = PlanBranches(source_, alphabet_, tree_);
    if (sequences_ && promise_ == Promise::kSuperset) {
      sequences_->sequences.exact = sequences_->sequences.exact_on_ascii = false;
    }
    if (sequences_ && sequences_->sequences.exact_on_ascii) return;
    automaton_ = PlanAutomaton(source_, alphabet_, tree_);
    if (automaton_ && promise_ == Promise::kSuperset) {
      automaton_->exact = automaton_->exact_on_ascii = false;
    }
    if (sequences_) return;
    if (!automaton_ || HoldsLiterals(tree_, alphabet_)) CompileDatabase();
  }

  void CompileDatabase() {
    std::optional<DatabasePlan> plan = PlanDatabase(source_, alphabet_, tree_);
    if (!plan) return;
    database_ = Database::Compile(*plan);
  }

  const Source& source_;
  const Alphabet& alphabet_;
  const Node& tree_;
  const Promise promise_;
  std::once_flag once_;
  std::optional<SequencePlan> sequences_;
  std::unique_ptr<Database> database_;
  std::optional<AutomatonPlan> automaton_;
};

Accelerator::Accelerator() = default;
Accelerator::~Accelerator() = default;

void Accelerator::Plan(const Source& source, const Alphabet& alphabet, const Node& tree,
                       Promise promise) {
  if (std::optional<LiteralPlan> literal = PlanLiteral(source, alphabet, tree)) {
    if (promise == Promise::kSuperset) literal->exact = literal->exact_on_ascii = false;
    literal_ = std::make_unique<const LiteralPlan>(std::move(*literal));
  } else {
    automaton_ = std::make_unique<Automaton>(source, alphabet, tree, promise);
  }
}

bool Accelerator::cheap() const { return literal_ != nullptr; }

std::unique_ptr<CandidateFinder> Accelerator::NewFinder(
    std::function<std::unique_ptr<Matcher>()> make_matcher) const {
  if (literal_ != nullptr) return NewLiteralFinder(*literal_);
  return automaton_ == nullptr ? nullptr : automaton_->NewFinder(std::move(make_matcher));
}

}  // namespace mr::match
