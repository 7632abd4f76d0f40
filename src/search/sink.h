// What becomes of selected lines. The search decides which lines are selected and in which order;
// a Sink decides how they look; an Output takes the bytes in their final order.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "search/rendered_text.h"

namespace mr::search {

// One line on its way to the output. Views are valid during the call only.
struct Line {
  std::string_view path;     // the file's name as it is to be shown
  std::string_view text;     // without terminator
  std::uint64_t offset = 0;  // of text[0] in the file, bytes
  std::uint64_t number = 0;  // 1 for the first line; 0 when SearchPlan::line_numbers is off
  bool selected = true;      // false: a context line
  // Size of the file when it was opened, which -T aligns numbers by; the maximum when the file is
  // not a regular one.
  std::uint64_t file_bytes = std::numeric_limits<std::uint64_t>::max();
};

// The result of one file.
struct FileSummary {
  std::string_view path;
  std::uint64_t selected_lines = 0;
  bool failed = false;  // an error was reported for this file
};

enum class Flow {
  kContinue,
  // The line cannot be shown (an encoding error) and nothing was appended for it. The file's other
  // lines still are; "binary file matches" is due at its end.
  kNotText,
};

// Renders into `out`, which it only appends to. One Sink per thread; no state may be carried from
// one call to the next, since blocks are rendered side by side and put in order afterwards.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Flow Accept(const Line& line, RenderedText& out) = 0;
  // Between two groups of context lines that are not adjacent.
  virtual void Gap(RenderedText& out) = 0;
  // After the file's last line: counts, names for -l and -L.
  virtual void Finish(const FileSummary& summary, RenderedText& out) = 0;

  // Lines that need nothing but to be copied (no prefix, no colour, no -o): the search then copies
  // runs of adjacent selected lines at once and does not call Accept for them. Encoding errors
  // must still be looked for if checks_text() is set.
  virtual bool copies_lines() const { return false; }
  virtual bool checks_text() const { return false; }
  // With checks_text(): whether these bytes (whole lines) can be shown.
  virtual bool IsText(std::string_view) const { return true; }
};

enum class Severity {
  kFileError,  // a file could not be opened or read: silenced by -s, makes the exit status 2
  kError,      // any other error: never silenced, makes the exit status 2
  kNotice,     // "binary file matches": the exit status stays
};

// Standard output takes no more. what() is the message, without the program's name: "write error:
// No space left on device".
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where everything ends up. Called by one thread at a time, in the final order.
class Output {
 public:
  virtual ~Output() = default;
  // Standard output. Throws OutputError when nothing more can be written.
  virtual void Write(std::string_view bytes) = 0;
  // Standard error, after everything written so far has been flushed. `text` lacks the program
  // name and the newline.
  virtual void Message(Severity severity, std::string_view text) = 0;
};

}  // namespace mr::search
