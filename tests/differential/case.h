// One search, as data: what is in the files and what is typed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace differential {

struct InputFile {
  std::string name;  // relative; may begin with "d/"
  std::string bytes;
};

enum class PatternStyle {
  kOperand,  // grep PATTERN (joined by newlines when there are several)
  kOption,   // -e PATTERN, once each
  kFile,     // -f pats, the patterns as lines
};

struct Case {
  std::uint64_t number = 0;
  std::string locale = "C";
  std::string grep_colors;           // GREP_COLORS, when not empty
  std::vector<std::string> options;  // each one argument, its value attached
  std::vector<std::string> patterns;
  PatternStyle pattern_style = PatternStyle::kOperand;
  std::vector<InputFile> files;
  std::vector<std::string> operands;  // names, "-", or names of nothing
  std::string standard_input;         // name of one of the files; empty: /dev/null
  bool one_stream = false;            // standard error goes where standard output goes

  // What follows the program's name.
  std::vector<std::string> Arguments() const;
  // The file that -f names, if the case needs one.
  static constexpr const char* kPatternFile = "pats";
  std::string PatternFileBytes() const;

  bool HasOption(const std::string& prefix) const;
};

// The case as shell commands that anyone can paste, for `program` with `leading` arguments.
std::string ShellScript(const Case& test_case, const std::string& program,
                        const std::vector<std::string>& leading);

// `text` quoted for bash: 'plain' or $'esc\x00aped'.
std::string Quote(const std::string& text);

}  // namespace differential
