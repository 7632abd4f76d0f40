// Small files named by options: patterns (-f) and globs (--exclude-from).
#pragma once

#include <string>

namespace mr::app {

// All of the file, or of standard input for "-". Throws os::IoError.
std::string ReadTextFile(const std::string& path);

}  // namespace mr::app
