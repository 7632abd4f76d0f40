// Several sequences of byte sets as a candidate finder.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "match/candidate_finder.h"
#include "pattern/emit_sequences.h"

namespace mr::match {

// What to look for and by what to tell it.
struct SequencePlan {
  pattern::Sequences sequences;
  char terminator = '\n';
  bool as_word = false;  // -w: only where no ASCII word character is adjacent
  bool stops_at_nul = false;

  // Made by PlanSequences. `window` adjacent sets of each sequence, from `windows` on, are what the
  // text is looked through for; sequences are in `buckets` of which a place is told apart.
  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t kLeastWindow = 2;
  static constexpr std::size_t kMostWindow = 3;
  std::size_t window = 0;
  std::vector<std::size_t> windows;
  std::array<std::vector<std::size_t>, kBuckets> buckets;
};

// None where the processor has not the instructions or when too many places would have to be looked
// at.
std::optional<SequencePlan> PlanSequences(pattern::Sequences sequences);

// `plan` must outlive the finder.
std::unique_ptr<CandidateFinder> NewSequenceFinder(const SequencePlan& plan);

}  // namespace mr::match
