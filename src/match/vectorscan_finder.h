// Vectorscan as a candidate finder.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "match/candidate_finder.h"
#include "match/matcher.h"
#include "pattern/emit_superset.h"

namespace mr::match {

// What a database is to be compiled for: one expression, or many literals.
struct FinderPlan {
  std::optional<pattern::Superset> expression;
  // Used when there is no expression: finds any of these bytes, or, with `caseless`, their ASCII
  // letters in either case.
  std::vector<std::string> literals;
  bool caseless = false;
  bool exact = false;
  bool exact_on_ascii = false;
  char terminator = '\n';
};

// A compiled database. Immutable and thread-safe; finders must not outlive it.
class FinderDatabase {
 public:
  // Null when Vectorscan refuses the plan or does not run on this processor.
  static std::unique_ptr<FinderDatabase> Compile(const FinderPlan& plan);

  virtual ~FinderDatabase() = default;

  // `make_matcher` serves lines that are too long for one scan (4 GiB).
  virtual std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) const = 0;
};

}  // namespace mr::match
