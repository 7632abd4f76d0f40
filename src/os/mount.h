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

// The mount that `path` is on; nothing when the path does not exist or /proc is not there. Below a
// changed root (chroot(2)) that is no mount point itself, none may be listed: see MountAtRoot.
std::optional<Mount> FindMount(const std::string& path);

// What statfs(2) tells of the file system that holds `path`, as a mount at "/" without source and
// options; nothing for types other than the usual ones for data.
std::optional<Mount> MountAtRoot(const std::string& path);

}  // namespace mr::os
