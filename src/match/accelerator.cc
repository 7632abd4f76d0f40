#include "match/accelerator.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "match/adaptive_finder.h"
#include "match/automaton_finder.h"
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

// What is compiled when it is first needed. Thread-safe.
class Accelerator::Programs {
 public:
  Programs(const Source& source, const Alphabet& alphabet, const Node& tree, Promise promise)
      : source_(source), alphabet_(alphabet), tree_(tree), promise_(promise) {}

  // Null when there is none, or none worth having.
  const AutomatonPlan* Automaton() {
    std::call_once(automaton_once_, [this] {
      automaton_ = PlanAutomaton(source_, alphabet_, tree_);
      if (automaton_ && promise_ == Promise::kSuperset) {
        automaton_->exact = automaton_->exact_on_ascii = false;
      }
    });
    return automaton_ ? &*automaton_ : nullptr;
  }

  std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) {
    std::call_once(finder_once_, [this] { Compile(); });
    if (sequences_) return Adaptive(NewSequenceFinder(*sequences_));
    if (database_ != nullptr) return Adaptive(database_->NewFinder(std::move(make_matcher)));
    return automaton_ ? NewAutomatonFinder(*automaton_) : nullptr;
  }

  std::unique_ptr<CandidateFinder> Adaptive(std::unique_ptr<CandidateFinder> finder) {
    if (finder->exact_on_ascii()) return finder;
    return NewAdaptiveFinder(std::move(finder), [this] { return Automaton(); });
  }

 private:
  void Compile() {
    if (tree_.children.size() > kMostAlternatives) return;
    sequences_ = PlanBranches(source_, alphabet_, tree_);
    if (sequences_) {
      if (promise_ == Promise::kSuperset) {
        sequences_->sequences.exact = sequences_->sequences.exact_on_ascii = false;
      }
      return;
    }
    if (Automaton() == nullptr || HoldsLiterals(tree_, alphabet_)) {
      if (auto plan = PlanDatabase(source_, alphabet_, tree_)) database_ = Database::Compile(*plan);
    }
  }

  const Source& source_;
  const Alphabet& alphabet_;
  const Node& tree_;
  const Promise promise_;
  std::once_flag finder_once_;
  std::optional<SequencePlan> sequences_;
  std::unique_ptr<Database> database_;
  std::once_flag automaton_once_;
  std::optional<AutomatonPlan> automaton_;
};

Accelerator::Accelerator() = default;
Accelerator::~Accelerator() = default;

void Accelerator::Plan(const Source& source, const Alphabet& alphabet, const Node& tree,
                       Promise promise) {
  programs_ = std::make_unique<Programs>(source, alphabet, tree, promise);
  if (std::optional<LiteralPlan> literal = PlanLiteral(source, alphabet, tree)) {
    if (promise == Promise::kSuperset) literal->exact = literal->exact_on_ascii = false;
    literal_ = std::make_unique<const LiteralPlan>(std::move(*literal));
  }
}

bool Accelerator::cheap() const { return literal_ != nullptr; }

std::unique_ptr<CandidateFinder> Accelerator::NewFinder(
    std::function<std::unique_ptr<Matcher>()> make_matcher) const {
  if (programs_ == nullptr) return nullptr;
  if (literal_ != nullptr) return programs_->Adaptive(NewLiteralFinder(*literal_));
  return programs_->NewFinder(std::move(make_matcher));
}

}  // namespace mr::match
