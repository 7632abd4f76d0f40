#include "lab/studies/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/stripes.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::lab {
namespace {

constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

os::IoError Refusal(MemoryFileKind kind, const char* call) {
  return {std::string(MemoryFileName(kind)),
          std::string(call) + ": " + std::string(std::strerror(errno))};
}

os::Descriptor OpenOnTmpfs(MemoryFileKind kind) {
  const os::Descriptor context(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!context) throw Refusal(kind, "fsopen");
  const char* const huge = kind == MemoryFileKind::kTmpfsHuge ? "always" : "never";
  if (::fsconfig(context.get(), FSCONFIG_SET_STRING, "huge", huge, 0) != 0) {
    throw Refusal(kind, "huge pages in tmpfs");
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    throw Refusal(kind, "fsconfig");
  }
  const os::Descriptor mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
  if (!mount) throw Refusal(kind, "fsmount");
  os::Descriptor file(::openat(mount.get(), "data", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) throw Refusal(kind, "openat");
  return file;
}

os::Descriptor OpenDescriptor(MemoryFileKind kind) {
  if (kind == MemoryFileKind::kTmpfs || kind == MemoryFileKind::kTmpfsHuge)
    return OpenOnTmpfs(kind);
  if (kind == MemoryFileKind::kMemfdHuge) {
    // "always within_size advise [never] deny force"
    const auto allowed = os::ReadLine("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    if (!allowed || allowed->find("[never]") != std::string::npos ||
        allowed->find("[deny]") != std::string::npos) {
      throw os::IoError(std::string(MemoryFileName(kind)),
                        "transparent_hugepage/shmem_enabled does not allow huge pages");
    }
  }
  const unsigned huge = kind == MemoryFileKind::kMemfdHugetlb ? MFD_HUGETLB : 0;
  os::Descriptor file(::memfd_create("mrbench", MFD_CLOEXEC | huge));
  if (!file) throw Refusal(kind, "memfd_create");
  return file;
}

void Fill(MemoryFileKind kind, int fd, const os::File& source, std::uint64_t bytes) {
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) throw Refusal(kind, "ftruncate");
  const auto size = static_cast<std::size_t>(bytes);
  void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) throw Refusal(kind, "mmap");
  struct Unmap {
    void* begin;
    std::size_t size;
    ~Unmap() { ::munmap(begin, size); }
  } const unmap{mapped, size};
  if (kind == MemoryFileKind::kMemfdHuge && ::madvise(mapped, size, MADV_HUGEPAGE) != 0) {
    throw Refusal(kind, "madvise");
  }
  // Where no room is reserved, writing to the mapping would end in SIGBUS; this asks first.
  if (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) != 0) throw Refusal(kind, "fallocate");
  for (std::size_t have = 0; have < size;) {
    const std::size_t got = source.ReadAt(static_cast<char*>(mapped) + have, size - have, have);
    if (got == 0) throw io::ShrankError(source.name(), have);
    have += got;
  }
}

std::uint64_t RoundDown(MemoryFileKind kind, std::uint64_t bytes) {
  return kind == MemoryFileKind::kMemfdHugetlb ? bytes / kHugePageBytes * kHugePageBytes : bytes;
}

}  // namespace

std::string_view MemoryFileName(MemoryFileKind kind) {
  switch (kind) {
    case MemoryFileKind::kTmpfs:
      return "tmpfs";
    case MemoryFileKind::kTmpfsHuge:
      return "tmpfs huge";
    case MemoryFileKind::kMemfd:
      return "memfd";
    case MemoryFileKind::kMemfdHuge:
      return "memfd huge";
    case MemoryFileKind::kMemfdHugetlb:
      return "memfd hugetlb";
  }
  return "";
}

MemoryFile::MemoryFile(MemoryFileKind kind, const os::File& source, std::uint64_t bytes)
    : kind_(kind),
      descriptor_(OpenDescriptor(kind)),
      size_bytes_(RoundDown(kind, bytes)),
      file_(os::File::Open("/proc/self/fd/" + std::to_string(descriptor_.get()),
                           std::string(MemoryFileName(kind)), AT_FDCWD)) {
  if (size_bytes_ == 0) throw os::IoError(file_.name(), "less than one huge page is to be copied");
  Fill(kind, descriptor_.get(), source, size_bytes_);
}

}  // namespace mr::lab
