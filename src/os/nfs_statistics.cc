#include "os/nfs_statistics.h"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>

#include "os/text_file.h"

namespace mr::os {
namespace {

constexpr std::array<const char*, 8> kByteNames = {
    "normal_read_bytes", "normal_write_bytes", "direct_read_bytes", "direct_write_bytes",
    "server_read_bytes", "server_write_bytes", "read_pages",        "write_pages"};

constexpr std::array<const char*, 8> kOperationNames = {"calls",      "transmissions",  "timeouts",
                                                        "sent_bytes", "received_bytes", "queue_ms",
                                                        "rtt_ms",     "execute_ms"};

template <std::size_t n>
void TakeNumbers(std::istringstream& fields, const std::string& prefix,
                 const std::array<const char*, n>& names, Counters& counters) {
  std::int64_t value = 0;
  for (const char* name : names) {
    if (!(fields >> value)) return;
    counters[prefix + name] = value;
  }
}

// "device SOURCE mounted on POINT with fstype TYPE statvers=1.1": the device may hold spaces only
// as \040, so the words have fixed places.
bool IsHeadOf(const std::string& line, std::string_view mount_point, bool& is_nfs) {
  std::istringstream words(line);
  std::string device, source, mounted, on, point, with, fstype, type;
  words >> device >> source >> mounted >> on >> point >> with >> fstype >> type;
  is_nfs = type == "nfs" || type == "nfs4";
  return point == mount_point;
}

// Spaces and the like in a mount point, as the kernel writes them.
std::string Escape(std::string_view text) {
  static constexpr std::string_view kDigits = "01234567";
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      const auto code = static_cast<unsigned char>(c);
      result += '\\';
      result += kDigits[code >> 6];
      result += kDigits[code >> 3 & 7];
      result += kDigits[code & 7];
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::optional<Counters> ParseNfsStatistics(std::string_view text, std::string_view mount_point) {
  const std::string point = Escape(mount_point);
  std::optional<Counters> result;
  bool inside = false;
  bool in_operations = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("device ")) {
      bool is_nfs = false;
      inside = IsHeadOf(line, point, is_nfs);
      if (inside) result.reset();
      if (inside && is_nfs) result.emplace();
      in_operations = false;
      continue;
    }
    if (!inside || !result) continue;
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (name == "per-op") {
      in_operations = true;
    } else if (name == "bytes:") {
      TakeNumbers(fields, "", kByteNames, *result);
    } else if (in_operations && name.ends_with(':')) {
      name.back() = '.';
      TakeNumbers(fields, name, kOperationNames, *result);
    }
  }
  return result;
}

std::optional<Counters> ReadNfsStatistics(std::string_view mount_point) {
  return ParseNfsStatistics(ReadText("/proc/self/mountstats").value_or(""), mount_point);
}

}  // namespace mr::os
