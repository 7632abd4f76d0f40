#include "os/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>

namespace mr::os {
namespace {

// From <linux/magic.h> and the file systems' own headers.
constexpr std::array<unsigned, 6> kLocal = {
    0xEF53,      // ext2, ext3, ext4
    0x58465342,  // XFS
    0x9123683E,  // Btrfs
    0xF2F52010,  // F2FS
    0x01021994,  // tmpfs
    0x794C7630,  // overlayfs, as good as always over one of these
};
constexpr std::array<unsigned, 11> kNetwork = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFE534D42,  // SMB2
    0xFF534D42,  // CIFS
    0x65735546,  // FUSE
    0x01021997,  // 9P
    0x5346414F,  // AFS
    0x00C36400,  // Ceph
    0x47504653,  // GPFS
    0x0BD00BD0,  // Lustre
    0x786F4256,  // VirtualBox's shared folders
};

}  // namespace

FileSystemKind KindOfFileSystem(int fd) {
  struct statfs status;
  if (::fstatfs(fd, &status) != 0) return FileSystemKind::kNetwork;
  const auto is_one_of = [type = static_cast<unsigned>(status.f_type)](const auto& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (is_one_of(kLocal)) return FileSystemKind::kLocal;
  return is_one_of(kNetwork) ? FileSystemKind::kNetwork : FileSystemKind::kOther;
}

}  // namespace mr::os
