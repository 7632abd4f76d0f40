// An exact engine for long lists of fixed strings, which as one regular expression would take far
// too much memory and time.
#pragma once

#include <memory>
#include <optional>

#include "match/candidate_finder.h"
#include "match/matcher.h"
#include "pattern/pattern.h"

namespace mr::match {

// The strings of a list. Immutable and thread-safe; its matchers must not outlive it.
class WordList {
 public:
  // Null when `source` is not a long list of plain, non-empty strings of valid characters.
  static std::unique_ptr<WordList> Make(const pattern::Source& source);

  virtual ~WordList() = default;
  virtual std::unique_ptr<Matcher> NewMatcher() const = 0;

  // An exact finder. Null when the list is not long enough to need one of its own, or when some
  // string is too short.
  virtual std::unique_ptr<CandidateFinder> NewFinder() const = 0;
};

}  // namespace mr::match
