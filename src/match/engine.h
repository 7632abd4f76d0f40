// A compiled search pattern: the one door to the engines.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "match/candidate_finder.h"
#include "match/matcher.h"
#include "match/piecewise_matcher.h"
#include "pattern/pattern.h"

namespace mr::match {

// The exact engine gave up on a line (a PCRE2 limit, not enough memory). what() is the message
// as GNU grep words it, without file name.
class MatchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Immutable after construction and thread-safe; the Matchers and CandidateFinders that it makes
// are not, and must not outlive it.
class Engine {
 public:
  // Compiles `source`. Throws pattern::PatternError for a pattern that GNU grep rejects too, with
  // GNU grep's message, or that no engine here can express.
  static std::unique_ptr<Engine> Compile(const pattern::Source& source);

  virtual ~Engine() = default;

  virtual std::unique_ptr<Matcher> NewMatcher() const = 0;

  // Null when the pattern is not accelerated (it matches every line, or no finder can be had for
  // it). Unless FinderIsCheap, a database is
  // compiled at the first call, once for all threads: ask only when there is enough input to
  // repay about 1 ms.
  virtual std::unique_ptr<CandidateFinder> NewCandidateFinder() const = 0;
  virtual bool FinderIsCheap() const = 0;

  // For lines too long to be held in memory; it selects the same lines as a Matcher. Null where
  // only the whole line can tell. `window_bytes` as for NewPiecewiseWindows. Thread-safe.
  virtual std::unique_ptr<PiecewiseMatcher> NewPiecewiseMatcher(
      std::size_t window_bytes = kWindowBytes) const = 0;

  // Whether an empty line matches (so that every line does when nothing is anchored to text).
  virtual bool MatchesEmptyLine() const = 0;

  // Whether every line matches, as far as that is evident.
  virtual bool MatchesEveryLine() const { return false; }

  // Whether no match of this pattern can hold a NUL byte and none depends on where lines begin or
  // end: then a NUL in a binary file, which ends a line there, cannot change what is found.
  virtual bool IndifferentToNul() const = 0;

  // What GNU grep would warn about while compiling, in its words ("* at start of expression"),
  // without "warning: ".
  virtual const std::vector<std::string>& warnings() const = 0;

  // For --debug: "re2", "trie", "byte sequences", "gnu regex" or "pcre2", and why that one was
  // chosen.
  virtual std::string_view name() const = 0;
  virtual std::string_view reason() const = 0;
};

}  // namespace mr::match
