// A limit on the rate at which an experiment reads from a disk, so that a fast disk can stand
// for a slow one. Reads that the page cache answers are not counted by the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "os/cgroup.h"

namespace mr::os {

// A whole disk (the kernel throttles disks, not partitions).
struct Disk {
  unsigned major = 0;
  unsigned minor = 0;
  std::string name;  // "sda", "vda", "nvme0n1"
  std::string id() const { return std::to_string(major) + ":" + std::to_string(minor); }
};

// The disk that holds `path`. Throws IoError when `path` cannot be stat'ed, or with a reason when
// its file system is not on a single disk (tmpfs, overlay, btrfs, NFS).
Disk FindDisk(const std::string& path);

// The disk of a block device, itself or a partition; nothing when there is no such device.
std::optional<Disk> DiskOfDevice(unsigned major, unsigned minor, const std::string& sys = "/sys");

class DiskLimit {
 public:
  // Throws CgroupError, and IoError as FindDisk.
  DiskLimit(GroupSet& groups, const std::string& path, std::uint64_t bytes_per_second);
  DiskLimit(GroupSet& groups, const Disk& disk, std::uint64_t bytes_per_second);

  const Disk& disk() const { return disk_; }
  std::uint64_t bytes_per_second() const { return bytes_per_second_; }
  const Cgroup& group() const { return *group_; }

 private:
  std::shared_ptr<Cgroup> group_;
  Disk disk_;
  std::uint64_t bytes_per_second_ = 0;
};

}  // namespace mr::os
