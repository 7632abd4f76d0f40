// Files that live in memory only, in pages of several sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "os/descriptor.h"
#include "os/file.h"

namespace mr::lab {

enum class MemoryFileKind {
  kTmpfs,         // a file of a tmpfs, 4 KiB pages
  kTmpfsHuge,     // of a tmpfs mounted with huge=always (Linux 4.8)
  kMemfd,         // memfd_create(2)
  kMemfdHuge,     // the same with MADV_HUGEPAGE, where shmem_enabled is "advise" or more
  kMemfdHugetlb,  // with MFD_HUGETLB, from the pages reserved in vm.nr_hugepages
};
std::string_view MemoryFileName(MemoryFileKind kind);  // "tmpfs", "tmpfs huge", ...

// Has no name that others can see, and is gone with its last descriptor.
class MemoryFile {
 public:
  // Copies the first `bytes` of `source`, which must have them. A tmpfs is mounted where nobody
  // sees it (fsmount(2)), which needs the privilege to mount. Throws os::IoError, its reason for
  // people.
  MemoryFile(MemoryFileKind kind, const os::File& source, std::uint64_t bytes);

  const os::File& file() const { return file_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  // Whether mappings of it should ask for huge pages.
  bool wants_huge() const { return kind_ == MemoryFileKind::kMemfdHuge; }

 private:
  MemoryFileKind kind_;
  os::Descriptor descriptor_;
  std::uint64_t size_bytes_;
  os::File file_;
};

}  // namespace mr::lab
