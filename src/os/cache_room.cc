#include "os/cache_room.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "os/text_file.h"

namespace mr::os {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::string TextOf(const std::string& path) { return ReadText(path).value_or(""); }

// The number behind `key` at the beginning of a line.
std::optional<std::uint64_t> NumberAfter(std::string_view text, std::string_view key) {
  for (std::size_t line = 0; line < text.size();) {
    if (text.substr(line).starts_with(key)) return LeadingNumber(text.substr(line + key.size()));
    const std::size_t end = text.find('\n', line);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return std::nullopt;
}

std::uint64_t Less(std::uint64_t value, std::uint64_t amount) {
  return value > amount ? value - amount : 0;
}

void Limit(CacheRoom& room, std::uint64_t limit, std::uint64_t usage, std::uint64_t cached) {
  room.free_bytes = std::min(room.free_bytes, Less(limit, usage));
  room.capacity_bytes = std::min(room.capacity_bytes, Less(limit, Less(usage, cached)));
}

}  // namespace

CacheRoom MeasureCacheRoom(const CgroupPaths& paths, const std::string& proc) {
  CacheRoom room{kUnlimited, kUnlimited};
  const std::string memory = TextOf(proc + "/meminfo");
  const std::uint64_t reserve =
      2 * LeadingNumber(TextOf(proc + "/sys/vm/min_free_kbytes")).value_or(0);
  if (const auto free = NumberAfter(memory, "MemFree:")) {
    room.free_bytes = Less(*free, reserve) * 1024;
  }
  if (const auto available = NumberAfter(memory, "MemAvailable:")) {
    room.capacity_bytes = *available * 1024;
  }
  const bool v2 = CgroupVersion(Controller::kMemory, paths) == 2;
  for (const std::string& group : OwnGroups(Controller::kMemory, paths)) {
    const std::string stat = TextOf(group + "/memory.stat");
    const auto usage =
        LeadingNumber(TextOf(group + (v2 ? "/memory.current" : "/memory.usage_in_bytes")));
    if (!usage) continue;
    const std::uint64_t cached = NumberAfter(stat, v2 ? "file " : "total_cache ").value_or(0);
    const auto limit_by = [&](const char* file) {
      if (const auto limit = LeadingNumber(TextOf(group + file))) {
        Limit(room, *limit, *usage, cached);
      }
    };
    limit_by(v2 ? "/memory.max" : "/memory.limit_in_bytes");
    if (v2) limit_by("/memory.high");
  }
  return room;
}

}  // namespace mr::os
