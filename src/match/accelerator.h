// Chooses a candidate finder for a pattern: a search for a literal that every match holds, when
// that is all of the pattern or rare enough; one for a few sequences of byte sets of which every
// match holds one; Vectorscan where it can skip text by literals or where the other cannot be had;
// else an automaton, which also takes over where candidates that need not match are dense. All but
// the first are compiled when the first finder is asked for.
#pragma once

#include <functional>
#include <memory>

#include "match/candidate_finder.h"
#include "match/literal_finder.h"
#include "match/matcher.h"
#include "pattern/alphabet.h"
#include "pattern/pattern.h"
#include "pattern/tree.h"

namespace mr::match {

class Accelerator {
 public:
  Accelerator();
  ~Accelerator();

  // What `tree` says about the pattern: everything, or that no other lines match.
  enum class Promise { kExact, kSuperset };

  // Takes note of a pattern; `tree` holds the alternatives without -w and -x. The arguments must
  // outlive the accelerator.
  void Plan(const pattern::Source& source, const pattern::Alphabet& alphabet,
            const pattern::Node& tree, Promise promise);

  // Whether NewFinder costs next to nothing.
  bool cheap() const;

  // Null when the pattern is not accelerated. Thread-safe.
  std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) const;

 private:
  class Programs;
  std::unique_ptr<const LiteralPlan> literal_;
  std::unique_ptr<Programs> programs_;
};

}  // namespace mr::match
