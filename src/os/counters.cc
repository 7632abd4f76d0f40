#include "os/counters.h"

#include <charconv>

#include "os/text_file.h"

namespace mr::os {
namespace {

// Calls `use` with every line of `text`, without its end.
template <typename Use>
void ForEachLine(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Counters ParseCounters(std::string_view text) {
  Counters counters;
  ForEachLine(text, [&counters](std::string_view line) {
    const std::size_t gap = line.find(' ');
    if (gap == std::string_view::npos || gap == 0) return;
    std::string_view name = line.substr(0, gap);
    if (name.ends_with(':')) name.remove_suffix(1);  // /proc/PID/io
    if (const auto value = ParseNumber(line.substr(gap + 1))) {
      counters.insert_or_assign(std::string(name), *value);
    }
  });
  return counters;
}

Counters ReadVmstat(const std::string& path) { return ParseCounters(ReadText(path).value_or("")); }

Counters ReadPressure(const std::string& directory) {
  constexpr std::string_view kTotal = "total=";
  Counters counters;
  for (const char* resource : {"io", "memory", "cpu"}) {
    const std::string text = ReadText(directory + "/" + resource).value_or("");
    ForEachLine(text, [&](std::string_view line) {
      const std::size_t total = line.find(kTotal);
      if (total == std::string_view::npos) return;
      const std::string_view kind = line.substr(0, line.find(' '));
      if (const auto value = ParseNumber(line.substr(total + kTotal.size()))) {
        counters.insert_or_assign(std::string(resource) + "." + std::string(kind), *value);
      }
    });
  }
  return counters;
}

Counters Difference(const Counters& after, const Counters& before) {
  Counters difference;
  for (const auto& [name, value] : after) {
    if (const auto earlier = Find(before, name)) {
      difference.emplace_hint(difference.end(), name, value - *earlier);
    }
  }
  return difference;
}

std::optional<std::int64_t> Find(const Counters& counters, std::string_view name) {
  const auto found = counters.find(name);
  if (found == counters.end()) return std::nullopt;
  return found->second;
}

}  // namespace mr::os
