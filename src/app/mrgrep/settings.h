// What is to be done: the options put together with the operands, the environment and standard
// output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/mrgrep/options.h"
#include "pattern/pattern.h"
#include "print/standard_output.h"
#include "print/text_printer.h"
#include "search/search.h"
#include "walk/file_walk.h"

namespace mr::app {

struct GrepSettings {
  pattern::Source source;
  search::SearchPlan plan;
  print::TextStyle style;
  walk::WalkPlan walk;
  print::StandardOutput::Buffering buffering = print::StandardOutput::Buffering::kBlocks;
  bool quiet = false;              // -q: a selected line makes the exit status 0, errors or not
  bool no_messages = false;        // -s
  bool nothing_can_match = false;  // no file needs to be opened to know: -m 0, no pattern at all
  StatsFormat stats = StatsFormat::kNone;
  bool debug = false;
  bool progress = false;  // where it is welcome
};

// Looks at standard output (terminal, /dev/null, a regular file), and at TERM, GREP_COLORS and
// GREP_COLOR when colours are wanted. Without -e and -f, the first operand is the pattern; throws
// UsageFailure if there is none. Appends to `warnings`.
GrepSettings ResolveSettings(GrepOptions options, std::vector<std::string> operands,
                             pattern::Charset charset, std::vector<std::string>& warnings);

}  // namespace mr::app
