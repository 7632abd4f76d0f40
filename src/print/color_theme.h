// Colours of the output, as GREP_COLORS names them.
#pragma once

#include <string>
#include <string_view>

namespace mr::print {

// Each field is the middle of an SGR sequence ("01;31"); empty means no colour there.
struct ColorTheme {
  std::string selected_match = "01;31";  // ms: matched text in a selected line
  std::string context_match = "01;31";   // mc: matched text in a context line
  std::string selected_line;             // sl
  std::string context_line;              // cx
  std::string file_name = "35";          // fn
  std::string line_number = "32";        // ln
  std::string byte_offset = "32";        // bn
  std::string separator = "36";          // se
  bool reverse = false;                  // rv: with -v, sl and cx change places
  bool erase_line = true;                // not ne: each sequence also erases to the line's end
};

// Applies the capabilities in `text` ("mt=01;32:ne") to `theme`. Unknown names are passed over; at
// the first character that cannot be right the rest is ignored, what came before it stays.
void ApplyGrepColors(std::string_view text, ColorTheme& theme);

// Whether a value of the old GREP_COLOR variable is made of digits and semicolons only, and so may
// be sent to a terminal.
bool IsSgr(std::string_view text);

}  // namespace mr::print
