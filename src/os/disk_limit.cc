#include "os/disk_limit.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "os/error.h"
#include "os/mount.h"
#include "os/text_file.h"

namespace mr::os {

namespace fs = std::filesystem;

std::optional<Disk> DiskOfDevice(unsigned major, unsigned minor, const std::string& sys) {
  std::error_code error;
  const std::string link =
      sys + "/dev/block/" + std::to_string(major) + ":" + std::to_string(minor);
  fs::path directory = fs::canonical(link, error);
  if (error) return std::nullopt;
  // A partition's directory lies in that of its disk.
  if (fs::exists(directory / "partition", error)) directory = directory.parent_path();
  Disk disk;
  disk.name = directory.filename();
  const std::optional<std::string> numbers = ReadLine(directory / "dev");
  if (!numbers || std::sscanf(numbers->c_str(), "%u:%u", &disk.major, &disk.minor) != 2) {
    return std::nullopt;
  }
  return disk;
}

Disk FindDisk(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) throw IoError(path, errno);
  if (const auto disk = DiskOfDevice(major(info.st_dev), minor(info.st_dev))) return *disk;
  const std::optional<Mount> mount = FindMount(path);
  throw IoError(path, "its file system (" + (mount ? mount->type : std::string("unknown")) +
                          ") is not on one disk, so the rate of reads cannot be limited");
}

DiskLimit::DiskLimit(GroupSet& groups, const std::string& path, std::uint64_t bytes_per_second)
    : DiskLimit(groups, FindDisk(path), bytes_per_second) {}

DiskLimit::DiskLimit(GroupSet& groups, const Disk& disk, std::uint64_t bytes_per_second)
    : group_(groups.For(Controller::kIo)), disk_(disk), bytes_per_second_(bytes_per_second) {
  const std::string rate = std::to_string(bytes_per_second);
  const std::string purpose = "limit the rate of reads from " + disk.name;
  if (group_->version() == 2) {
    group_->Write("io.max", disk.id() + " rbps=" + rate, purpose);
  } else {
    group_->Write("blkio.throttle.read_bps_device", disk.id() + " " + rate, purpose);
  }
}

}  // namespace mr::os
