// The texts of --help and --version, and the hint after a wrong command line.
#pragma once

#include <string>
#include <string_view>

namespace mr::app {

// Two lines: how to call the program, and where to read more.
std::string UsageHint(std::string_view program_name);

std::string HelpText(std::string_view program_name);

// Scripts look for a program's version in the first line. Called by another name than mrgrep (a
// link named grep), that is the version of GNU grep whose options are understood.
std::string VersionText(std::string_view program_name);

}  // namespace mr::app
