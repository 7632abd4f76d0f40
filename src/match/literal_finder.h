// A literal as a candidate finder.
#pragma once

#include <cstddef>
#include <memory>

#include "match/candidate_finder.h"
#include "pattern/emit_required.h"

namespace mr::match {

// What to look for. The literal has at most kMostLeads leads.
struct LiteralPlan {
  pattern::RequiredLiteral literal;
  bool as_word = false;  // -w: only where no ASCII word character is adjacent
  bool exact = false;
  bool exact_on_ascii = false;
  bool stops_at_nul = false;
};

inline constexpr std::size_t kMostLeads = 2;

// Whether NewLiteralFinder can be called: the processor has the instructions.
bool LiteralFindersRun();

// `plan` must outlive the finder.
std::unique_ptr<CandidateFinder> NewLiteralFinder(const LiteralPlan& plan);

}  // namespace mr::match
