#include "os/mount.h"

#include <sys/vfs.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "os/file_system.h"
#include "os/text_file.h"

namespace mr::os {
namespace {

// Octal escapes of /proc/self/mountinfo: "\040" is a space.
std::string Unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 4], code, 8).ptr == &text[i + 4]) {
      result.push_back(static_cast<char>(code));
      i += 3;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

bool IsBelow(const std::string& path, const std::string& directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

// "36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw,errors=continue": any number of
// tagged fields before the dash.
std::optional<Mount> ParseMount(const std::string& line) {
  std::istringstream fields(line);
  std::string id, parent, device, root, word, file_system_options;
  Mount mount;
  fields >> id >> parent >> device >> root >> mount.point >> mount.options;
  while (fields >> word && word != "-") {
  }
  if (!(fields >> mount.type >> mount.source >> file_system_options)) return std::nullopt;
  mount.options += "," + file_system_options;
  mount.point = Unescape(mount.point);
  mount.source = Unescape(mount.source);
  return mount;
}

// The last mount with the longest mount point above `path` is the one that is seen.
std::optional<Mount> FindMount(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return std::nullopt;
  std::istringstream lines(ReadText("/proc/self/mountinfo").value_or(""));
  std::optional<Mount> best;
  for (std::string line; std::getline(lines, line);) {
    std::optional<Mount> mount = ParseMount(line);
    if (mount && IsBelow(real.get(), mount->point) &&
        (!best || mount->point.size() >= best->point.size())) {
      best = std::move(mount);
    }
  }
  return best ? best : MountAtRoot(path);
}

std::optional<Mount> MountAtRoot(const std::string& path) {
  struct statfs status;
  if (::statfs(path.c_str(), &status) != 0) return std::nullopt;
  const KnownFileSystem* const known = FindKnownFileSystem(static_cast<unsigned>(status.f_type));
  if (known == nullptr) return std::nullopt;
  Mount mount;
  mount.point = "/";
  mount.type = known->type;
  return mount;
}

}  // namespace mr::os
