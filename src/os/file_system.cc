#include "os/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>

namespace mr::os {
namespace {

// From <linux/magic.h>, which does not have all of them in every version, and the file systems' own
// headers.
constexpr std::array<KnownFileSystem, 19> kKnown = {{
    {0xEF53, "ext4", FileSystemKind::kLocal},  // ext2 and ext3, too
    {0x58465342, "xfs", FileSystemKind::kLocal},
    {0x9123683E, "btrfs", FileSystemKind::kLocal},
    {0xF2F52010, "f2fs", FileSystemKind::kLocal},
    {0x01021994, "tmpfs", FileSystemKind::kLocal},
    {0x794C7630, "overlay", FileSystemKind::kLocal},  // as good as always over one of these
    {0x858458F6, "ramfs", FileSystemKind::kOther},
    {0x2FC12FC1, "zfs", FileSystemKind::kOther},
    {0x6969, "nfs", FileSystemKind::kNetwork},
    {0x517B, "smbfs", FileSystemKind::kNetwork},
    {0xFE534D42, "smb3", FileSystemKind::kNetwork},
    {0xFF534D42, "cifs", FileSystemKind::kNetwork},
    {0x65735546, "fuse", FileSystemKind::kNetwork},
    {0x01021997, "9p", FileSystemKind::kNetwork},
    {0x5346414F, "afs", FileSystemKind::kNetwork},
    {0x00C36400, "ceph", FileSystemKind::kNetwork},
    {0x47504653, "gpfs", FileSystemKind::kNetwork},
    {0x0BD00BD0, "lustre", FileSystemKind::kNetwork},
    {0x786F4256, "vboxsf", FileSystemKind::kNetwork},
}};

}  // namespace

const KnownFileSystem* FindKnownFileSystem(unsigned magic) {
  const auto* const found =
      std::find_if(kKnown.begin(), kKnown.end(),
                   [magic](const KnownFileSystem& known) { return known.magic == magic; });
  return found == kKnown.end() ? nullptr : found;
}

FileSystemKind KindOfFileSystem(int fd) {
  struct statfs status;
  if (::fstatfs(fd, &status) != 0) return FileSystemKind::kNetwork;
  const KnownFileSystem* const found = FindKnownFileSystem(static_cast<unsigned>(status.f_type));
  return found == nullptr ? FileSystemKind::kOther : found->kind;
}

}  // namespace mr::os
