#include "app/mrbench/number.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "app/mrbench/commands.h"
#include "io/size.h"
#include "lab/plan/plan.h"

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

CLI::Validator RealNumberBetween(double above, double below) {
  return CLI::Validator(
      [above, below](std::string& text) {
        double number = 0;
        const std::string complaint = Read(text, "number", above, below, number);
        if (complaint.empty() && number > above && number < below) return std::string();
        return fmt::format("'{}' is not a number above {} and below {}", text, above, below);
      },
      "");
}

std::uint64_t SizeOption(const char* option, const std::string& text, const char* what) {
  const std::optional<std::uint64_t> size = io::ParseSize(text);
  if (!size) throw UsageError(fmt::format("{} '{}': not a {} (512, 64K, 1G)", option, text, what));
  if (*size == 0) throw UsageError(fmt::format("{}: a {} of zero makes no sense", option, what));
  return *size;
}

void CheckNumberOfTrials(const char* option, int repeats, std::size_t each) {
  if (lab::TooManyTrials(static_cast<std::uint64_t>(repeats), each)) {
    throw UsageError(
        fmt::format("{} {}: that makes more than {} trials", option, repeats, lab::kMostTrials));
  }
}

}  // namespace mr::app
