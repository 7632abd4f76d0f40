#include "app/mrbench/number.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace mr::app {
namespace {

// All of `text` as a number within the bounds; the complaint, empty when there is none.
template <typename Number>
std::string Read(const std::string& text, const char* what, Number least, Number most,
                 Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  // Not a number fails every comparison.
  if (error == std::errc() && rest == end && number >= least && number <= most) return "";
  if (most == std::numeric_limits<Number>::max() && least == 0) {
    return fmt::format("'{}' is not a {}, or too large", text, what);
  }
  return fmt::format("'{}' is not a {} from {} to {}", text, what, least, most);
}

}  // namespace

CLI::Validator WholeNumber(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::uint64_t number = 0;
        std::string complaint = Read(text, "whole number", least, most, number);
        // Without zeros in front, which would make it octal to CLI11.
        if (complaint.empty()) text = std::to_string(number);
        return complaint;
      },
      "");
}

CLI::Validator RealNumber(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        double number = 0;
        return Read(text, "number", least, most, number);
      },
      "");
}

}  // namespace mr::app
