// Small text files, above all those of /proc and /sys, and the numbers in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mr::os {

// The whole content, or nothing when the file cannot be read, with the reason in errno.
std::optional<std::string> ReadText(const std::string& path);
std::optional<std::string> ReadText(int fd);

// The first line without its end, likewise.
std::optional<std::string> ReadLine(const std::string& path);

// Writes all of `text`; 0, or the errno of the failure.
int WriteAll(int fd, std::string_view text);

// The decimal number that `text` begins with, after blanks; what follows it is not looked at.
// Nothing for "max" and anything else that is no number.
std::optional<std::uint64_t> LeadingNumber(std::string_view text);

}  // namespace mr::os
