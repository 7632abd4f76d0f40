// Whether a line holds a match that is too long to be in memory as a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "match/candidate_finder.h"
#include "match/line_automaton.h"
#include "match/matcher.h"

namespace mr::match {

// Takes one line after the other, each in pieces. Not thread-safe: one per thread, made by
// Engine::NewPiecewiseMatcher, which must outlive it. All functions throw MatchError when the
// engine gives up.
class PiecewiseMatcher {
 public:
  virtual ~PiecewiseMatcher() = default;

  virtual void BeginLine() = 0;
  // The next bytes of the line. True when the line holds a match, whatever is still to come.
  virtual bool Add(std::string_view piece) = 0;
  // There is nothing more of the line, whose terminator is not part of it: whether it holds a
  // match. Not to be called when Add has said so.
  virtual bool EndLine() = 0;
};

// `automaton`, which must outlive the matcher, is exact.
std::unique_ptr<PiecewiseMatcher> NewPiecewiseAutomaton(const LineAutomaton& automaton,
                                                        char terminator);

// So that bytes are seen in at least so much text at once as this, however short matches are.
inline constexpr std::size_t kWindowBytes = std::size_t{128} << 10;

// Looks at windows of text that overlap by as much as a match can have, `longest_bytes`, and what
// is beside it. A line holds a match exactly when matcher->Find finds one in it. `finder`, which
// may be null, is asked whether there can be one in a window before `matcher` is.
std::unique_ptr<PiecewiseMatcher> NewPiecewiseWindows(std::unique_ptr<Matcher> matcher,
                                                      std::unique_ptr<CandidateFinder> finder,
                                                      std::size_t longest_bytes,
                                                      std::size_t window_bytes = kWindowBytes);

}  // namespace mr::match
