// Vectorscan as a candidate finder. What it reports is checked in any case: at the end of a block
// release 5.4.9 takes the terminator for a byte of [^\n] (in [^\n]}, in the last 2 KiB). In a build
// without it every plan is refused.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "match/candidate_finder.h"
#include "match/matcher.h"
#include "pattern/alphabet.h"
#include "pattern/emit_superset.h"
#include "pattern/pattern.h"
#include "pattern/tree.h"

namespace mr::match {

// What a database is to be compiled for: one expression, or many literals.
struct DatabasePlan {
  std::optional<pattern::Superset> expression;
  // Used when there is no expression: finds any of these bytes, or, with `caseless`, their ASCII
  // letters in either case.
  std::vector<std::string> literals;
  bool caseless = false;
  char terminator = '\n';
};

// Compiling takes memory that grows faster than a list: 100,000 words took more than 7 GB.
inline constexpr std::size_t kMostAlternatives = 2000;

// The expression, or the literals, of the alternatives in `tree`, with -w and -x as `source` has
// them. None when they are not worth a database, or more than kMostAlternatives.
std::optional<DatabasePlan> PlanDatabase(const pattern::Source& source,
                                         const pattern::Alphabet& alphabet,
                                         const pattern::Node& tree);

// A compiled database. Immutable and thread-safe; finders must not outlive it.
class Database {
 public:
  // Null when Vectorscan refuses the plan or does not run on this processor.
  static std::unique_ptr<Database> Compile(const DatabasePlan& plan);

  virtual ~Database() = default;

  // `make_matcher` serves lines that are too long for one scan (4 GiB).
  virtual std::unique_ptr<CandidateFinder> NewFinder(
      std::function<std::unique_ptr<Matcher>()> make_matcher) const = 0;
};

}  // namespace mr::match
