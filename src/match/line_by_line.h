// The part of a Matcher that is the same for every engine that sees one line at a time.
#pragma once

#include <cstring>

#include "match/matcher.h"

namespace mr::match {

// Calls `visit(line, begin)` with each line of `block` (without its terminator) from `from` on
// until it returns true; then returns that line's `begin`.
template <typename Visit>
std::optional<std::size_t> ForEachLine(std::string_view block, std::size_t from, char terminator,
                                       Visit visit) {
  while (from < block.size()) {
    const void* end = std::memchr(block.data() + from, terminator, block.size() - from);
    const std::size_t stop =
        end == nullptr ? block.size()
                       : static_cast<std::size_t>(static_cast<const char*>(end) - block.data());
    if (visit(block.substr(from, stop - from), from)) return from;
    from = stop + 1;
  }
  return std::nullopt;
}

class LineByLineMatcher : public Matcher {
 public:
  explicit LineByLineMatcher(char terminator) : terminator_(terminator) {}

  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    return ForEachLine(block, from, terminator_,
                       [this](std::string_view line, std::size_t) { return Matches(line); });
  }

 protected:
  char terminator() const { return terminator_; }

 private:
  char terminator_;
};

}  // namespace mr::match
