#include "os/counters.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

// "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in ticks of 1/sysconf(_SC_CLK_TCK) s;
// see proc(5). Guests are part of USER.
Counters ReadCpuTimes(const std::string& path) {
  constexpr std::size_t kFields = 8;
  const std::string line = ReadLine(path).value_or("");
  if (!line.starts_with("cpu ")) return {};
  const std::int64_t tick_us = 1'000'000 / ::sysconf(_SC_CLK_TCK);
  std::array<std::int64_t, kFields> fields{};
  std::string_view rest = std::string_view(line).substr(3);
  for (std::int64_t& field : fields) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    field = static_cast<std::int64_t>(LeadingNumber(rest).value_or(0)) * tick_us;
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  const auto& [user, nice, system, idle, iowait, irq, softirq, steal] = fields;
  return {
      {"busy", user + nice + system + irq + softirq}, {"idle", idle + iowait}, {"steal", steal}};
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
