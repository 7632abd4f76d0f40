#include "io/size.h"

#include <array>
#include <charconv>
#include <limits>

namespace mr::io {
namespace {

constexpr std::string_view kUnits = "KMGTPE";  // 2^10, 2^20, ...

}  // namespace

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (!suffix.empty() && suffix[0] != 'B') {
    const char unit = suffix[0] == 'k' ? 'K' : suffix[0];
    const std::size_t power = kUnits.find(unit);
    if (power == std::string_view::npos) return std::nullopt;
    const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
    if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
    value <<= shift;
    suffix.remove_prefix(1);
    if (suffix == "iB") return value;
  }
  if (!suffix.empty() && suffix != "B") return std::nullopt;
  return value;
}

std::string FormatSize(std::uint64_t bytes) {
  std::size_t power = 0;
  while (power < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  std::string text = std::to_string(bytes);
  if (power > 0) text += kUnits[power - 1];
  return text;
}

std::string RoughSize(double bytes) {
  std::size_t power = 0;
  for (; bytes >= 1024 && power < kUnits.size(); ++power) bytes /= 1024;
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), bytes,
                                          std::chars_format::fixed, power == 0 ? 0 : 1);
  std::string result(text.data(), end);
  if (power > 0) result += kUnits[power - 1];
  return result;
}

}  // namespace mr::io
