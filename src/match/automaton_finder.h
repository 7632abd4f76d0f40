// A line automaton as a candidate finder.
#pragma once

#include <memory>

#include "match/candidate_finder.h"
#include "match/line_automaton.h"

namespace mr::match {

struct AutomatonPlan {
  LineAutomaton automaton;
  char terminator = '\n';
  bool exact = false;
  bool exact_on_ascii = false;
};

// `plan` must outlive the finder.
std::unique_ptr<CandidateFinder> NewAutomatonFinder(const AutomatonPlan& plan);

}  // namespace mr::match
