// An exact engine for patterns all of whose matches are sequences of byte sets.
#pragma once

#include <memory>

#include "match/matcher.h"
#include "pattern/emit_sequences.h"

namespace mr::match {

// Whether all that is to be known of matches is in `sequences`, which are for Wanted::kMatches.
bool SequenceMatchersServe(const pattern::Sequences& sequences);

// REQUIRES SequenceMatchersServe(sequences).
std::unique_ptr<Matcher> NewSequenceMatcher(const pattern::Sequences& sequences);

}  // namespace mr::match
