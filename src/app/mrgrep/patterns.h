// The list of patterns, gathered from -e, -f and the first operand.
#pragma once

#include <cstdint>
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
  bool empty() const { return patterns_.empty(); }

  // Moves the patterns into `source`, each once, in the order in which they came, with their
  // origins. For kPerl, which takes a single one, they are joined by newlines: the engine knows
  // what to say about that.
  void MoveTo(pattern::Source& source);

 private:
  static constexpr std::uint32_t kTyped = ~std::uint32_t{0};
  struct Origin {
    std::uint32_t file = kTyped;  // index into files_
    std::uint32_t line = 0;       // from 1
  };

  void AddLines(std::string_view text, std::uint32_t file);

  bool given_ = false;
  std::vector<std::string> patterns_;
  std::vector<Origin> origins_;  // of each
  std::vector<std::string> files_;
  std::unordered_set<std::string> seen_;
};

}  // namespace mr::app
