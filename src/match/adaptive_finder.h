// A candidate finder that gives way to an automaton where most lines are candidates.
#pragma once

#include <functional>
#include <memory>

#include "match/automaton_finder.h"
#include "match/candidate_finder.h"

namespace mr::match {

// Reports what `finder` does as long as candidates are sparse. Where they are dense `plan` is asked
// for an automaton, once, and if there is one it reads the text instead. What `plan` returns must
// outlive the finder.
std::unique_ptr<CandidateFinder> NewAdaptiveFinder(std::unique_ptr<CandidateFinder> finder,
                                                   std::function<const AutomatonPlan*()> plan);

}  // namespace mr::match
