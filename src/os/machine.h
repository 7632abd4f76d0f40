// What a measurement ran on, for the record. Whatever cannot be found out is left empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mr::os {

struct Machine {
  std::string host;
  std::string kernel;        // release, "6.1.0-18-amd64"
  std::string architecture;  // "x86_64"
  std::string cpu_model;
  unsigned cpus = 0;  // that this process may run on
  std::uint64_t memory_bytes = 0;
  std::uint64_t page_bytes = 0;
  std::optional<std::uint64_t> swap_bytes;            // 0: none
  std::optional<std::string> transparent_huge_pages;  // "always", "madvise", "never"
  std::optional<std::string> cpu_governor;
  std::optional<double> cpu_mhz;  // now, the mean of all
  std::optional<double> load;     // of the last minute: processes that run or wait for a disk
  std::optional<std::uint64_t> swappiness;
  std::optional<bool> multi_gen_lru;  // nothing: the kernel does not have it
  int memory_cgroup_version = 0;      // 0: no memory controller
};

Machine DescribeMachine();

// The mean of what the CPUs run at now, where the kernel or the processor tells.
std::optional<double> CpuMegahertz();

// The file system below a path, and the device below that.
struct FileSystem {
  std::string type;  // "ext4", "nfs4"; as /proc/self/mountinfo has it
  std::string mount_point;
  std::string mount_options;  // of the mount, then of the file system, comma-separated
  std::string source;         // "/dev/vda", "server:/export"
  std::string device;         // st_dev as "MAJ:MIN"
  std::optional<std::uint64_t> read_ahead_kib;
  std::optional<std::string> disk;       // the whole disk's name, where there is one
  std::optional<std::string> scheduler;  // of that disk
  std::optional<bool> rotational;
  std::uint64_t free_bytes = 0;  // to this user
  std::uint64_t total_bytes = 0;
};

// Throws IoError when `path` does not exist.
FileSystem DescribeFileSystem(const std::string& path);

}  // namespace mr::os
