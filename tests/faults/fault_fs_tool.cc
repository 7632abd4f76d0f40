// A file system of faults: fault_fs_tool MOUNTPOINT. Runs until it is unmounted or killed.
//
// It holds no files but gives each name one: FAULT or FAULT@OFFSET, with the lines of ContentAt.
//   whole      nothing is wrong
//   eio@N      a read of byte N fails with EIO, and so does every read that holds it
//   stale@N    likewise with ESTALE
//   short      reads give 1000 bytes at most, past the kernel's cache
//   slow       reads take 5 ms
//   vanish@N   the file system is gone (as if its server had died) when byte N is read
//   longer     the size that is told is half of the true one, past the kernel's cache
//   shorter    the size that is told is twice the true one, past the kernel's cache
#define FUSE_USE_VERSION 31
#include <fuse3/fuse.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "faults/content.h"

namespace mr::test {
namespace {

struct Fault {
  std::string name;
  off_t at = -1;
};

Fault FaultOf(const char* path) {
  const std::string name(path + 1);
  const std::size_t sign = name.find('@');
  if (sign == std::string::npos) return {name, -1};
  return {name.substr(0, sign), std::atoll(name.c_str() + sign + 1)};
}

bool PastTheCache(const std::string& fault) {
  return fault == "short" || fault == "longer" || fault == "shorter";
}

int GetAttributes(const char* path, struct stat* status, fuse_file_info*) {
  *status = {};
  status->st_uid = ::getuid();
  status->st_gid = ::getgid();
  if (std::strcmp(path, "/") == 0) {
    status->st_mode = S_IFDIR | 0755;
    status->st_nlink = 2;
    return 0;
  }
  const std::string fault = FaultOf(path).name;
  status->st_mode = S_IFREG | 0644;
  status->st_nlink = 1;
  status->st_size = static_cast<off_t>(fault == "longer"    ? kContentBytes / 2
                                       : fault == "shorter" ? kContentBytes * 2
                                                            : kContentBytes);
  status->st_blocks = (status->st_size + 511) / 512;
  return 0;
}

int Open(const char* path, fuse_file_info* file) {
  file->direct_io = PastTheCache(FaultOf(path).name) ? 1 : 0;
  return 0;
}

int Read(const char* path, char* buffer, std::size_t bytes, off_t offset, fuse_file_info*) {
  const Fault fault = FaultOf(path);
  const bool hit = fault.at >= offset && fault.at < offset + static_cast<off_t>(bytes);
  if (hit && fault.name == "eio") return -EIO;
  if (hit && fault.name == "stale") return -ESTALE;
  if (hit && fault.name == "vanish") ::_exit(1);
  if (fault.name == "slow") ::usleep(5000);
  if (fault.name == "short") bytes = std::min<std::size_t>(bytes, 1000);
  const auto begin = static_cast<std::size_t>(offset);
  if (begin >= kContentBytes) return 0;
  bytes = std::min(bytes, kContentBytes - begin);
  for (std::size_t i = 0; i < bytes; ++i) buffer[i] = ContentAt(begin + i);
  return static_cast<int>(bytes);
}

}  // namespace
}  // namespace mr::test

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  fuse_operations operations{};
  operations.getattr = mr::test::GetAttributes;
  operations.open = mr::test::Open;
  operations.read = mr::test::Read;
  char foreground[] = "-f";
  char* arguments[] = {argv[0], foreground, argv[1], nullptr};
  return ::fuse_main(3, arguments, &operations, nullptr);
}
