// The list of patterns, gathered from -e, -f and the first operand.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pattern/pattern.h"

namespace mr::app {

class PatternList {
 public:
  // Every line of `text` is a pattern of its own; a newline at its end begins another, empty one.
  void AddText(std::string_view text);

  // Every line of the file, of standard input for "-"; an empty file holds no pattern. Throws
  // os::IoError.
  void AddFile(const std::string& path);

  // Whether anything was added, if only an empty file.
  bool given() const { return given_; }

  // The patterns for an engine, each once, in the order in which they came. For kPerl, which
  // takes a single one, they are joined by newlines: the engine knows what to say about that.
  std::vector<std::string> Take(pattern::Syntax syntax);

 private:
  void AddLine(std::string_view line);

  bool given_ = false;
  std::vector<std::string> patterns_;
  std::unordered_set<std::string> seen_;
};

}  // namespace mr::app
