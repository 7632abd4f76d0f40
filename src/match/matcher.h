// What the search pipeline asks of a regular expression engine.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mr::match {

// A half-open range of bytes, relative to the text it was found in.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// An exact engine with its scratch memory. Not thread-safe: every thread has its own, made by
// Engine::NewMatcher, and the Engine must outlive it.
class Matcher {
 public:
  virtual ~Matcher() = default;

  // The first match in `line` (one line, without its terminator) that begins at or after byte
  // `from` <= line.size(): leftmost-longest, leftmost-first for -P. -w and -x are part of the
  // pattern. Bytes before `from` count as context for anchors and word boundaries. The match may
  // be empty. Throws MatchError when the engine gives up (PCRE2 limits).
  virtual std::optional<Span> Find(std::string_view line, std::size_t from) = 0;

  // Whether `line` holds a match: Find without its position, which is cheaper for most engines.
  virtual bool Matches(std::string_view line) { return Find(line, 0).has_value(); }

  // The next line of `block` (whole lines, terminated by Engine's terminator, the last one perhaps
  // not) that holds a match: the offset of some byte in that line or of its terminator, searching
  // from `from`, which is the beginning of a line. Engines that can run over many lines in one
  // call override the line-by-line loop.
  virtual std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) = 0;
};

}  // namespace mr::match
