// Small text files, above all those of /proc and /sys.
#pragma once

#include <optional>
#include <string>

namespace mr::os {

// The whole content, or nothing when the file cannot be read, with the reason in errno.
std::optional<std::string> ReadText(const std::string& path);

// The first line without its end, likewise.
std::optional<std::string> ReadLine(const std::string& path);

}  // namespace mr::os
