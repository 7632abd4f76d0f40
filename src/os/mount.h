// Mounted file systems, from /proc/self/mountinfo.
#pragma once

#include <optional>
#include <string>

namespace mr::os {

struct Mount {
  std::string point;
  std::string type;     // "ext4", "nfs4", "tmpfs"
  std::string source;   // "/dev/vda", "server:/export"
  std::string options;  // of the mount, then of the file system, comma-separated
};

// One line of mountinfo; nothing when it is malformed.
std::optional<Mount> ParseMount(const std::string& line);

// The mount that `path` is on; nothing when the path does not exist or /proc is not there.
std::optional<Mount> FindMount(const std::string& path);

}  // namespace mr::os
