// What GNU grep shows of a file some lines of which are selected but no text, worked out from how
// it goes through its buffer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "differential/compare.h"
#include "differential/judge.h"

namespace differential {

// Lines around the selected ones, as the options ask for them; -1 where they do not.
struct ContextLines {
  int before = -1;
  int after = -1;
};
ContextLines ContextOf(const Case& test_case);

struct BufferModel {
  std::vector<bool> selected;  // for each line
  std::vector<bool> is_text;
  std::vector<std::size_t> windows;  // behind which lines the buffer ends, time after time
  ContextLines context;
  bool inverted = false;
  // With nothing shown so far, or nothing that is still in the buffer, its beginning is taken for
  // what follows the last line that was.
  bool false_context = true;

  // Indices of lines, and none for a separator, in the order in which they are shown.
  std::vector<std::optional<std::size_t>> Shown() const;
};

// Whether the reference shows of the one file of `alone` what the model says of it, and the subject
// the same without false context. Not for options that show or count something else.
bool DifferAsTheModelDoes(const Case& alone, const RunResult& reference, const RunResult& subject,
                          Judge& judge);

}  // namespace differential
