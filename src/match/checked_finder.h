// A candidate finder whose candidates are checked by an automaton.
#pragma once

#include <memory>

#include "match/automaton_finder.h"
#include "match/candidate_finder.h"

namespace mr::match {

// Reports of the lines that `finder` reports those in which `plan.automaton` finds a match. Cheaper
// than the exact engine, and as exact as the plan is. `plan` must outlive the finder.
std::unique_ptr<CandidateFinder> NewCheckedFinder(std::unique_ptr<CandidateFinder> finder,
                                                  const AutomatonPlan& plan);

}  // namespace mr::match
