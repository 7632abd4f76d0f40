#include "io/open_source.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "io/mmap_source.h"
#include "io/read_source.h"
#include "io/stream_source.h"
#include "io/stripes.h"

namespace mr::io {
namespace {

// Fits the second-level cache together with what the search needs, so that scanning what has just
// been copied does not go to memory again.
constexpr std::size_t kDefaultBufferBytes = 4 * kBinaryWindowBytes;

// Below this one read(2) into a warm buffer costs less than mapping and unmapping.
constexpr std::uint64_t kMapFromBytes = std::uint64_t{1} << 20;

// From <linux/magic.h> and the file systems' own headers: servers that can take a mapped page away.
constexpr std::array<long, 5> kNetworkFileSystems = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFE534D42,  // SMB2
    0xFF534D42,  // CIFS
    0x65735546,  // FUSE
};

bool OnNetwork(const os::File& file) {
  struct statfs status;
  if (::fstatfs(file.fd(), &status) != 0) return true;
  return std::find(kNetworkFileSystems.begin(), kNetworkFileSystems.end(),
                   static_cast<long>(status.f_type)) != kNetworkFileSystems.end();
}

// Whether a regular file of size 0 has contents all the same, as most of /proc has.
bool HidesItsSize(const os::File& file) {
  char byte = 0;
  return file.ReadAt(&byte, 1, 0) > 0;
}

}  // namespace

std::unique_ptr<BlockSource> OpenSource(os::File& file, const os::FileInfo& info,
                                        const IoSpec& spec, char terminator, BufferPool& pool) {
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(file.name(), EISDIR);
  const bool sized = info.kind == os::FileKind::kRegular && info.size_bytes > 0;
  const auto buffer_bytes =
      static_cast<std::size_t>(spec.buffer_bytes == 0 ? kDefaultBufferBytes : spec.buffer_bytes);
  const std::uint64_t start = file.StartPosition();

  if (spec.mode == Mode::kMmap) {
    if (info.kind != os::FileKind::kRegular || (!sized && HidesItsSize(file))) {
      throw os::IoError(file.name(), "cannot be mapped (not a file of known size)");
    }
    return MakeMmapSource(file, info, start, spec, terminator);
  }
  if (spec.mode == Mode::kAuto && sized && info.size_bytes >= kMapFromBytes && !OnNetwork(file)) {
    try {
      return MakeMmapSource(file, info, start, spec, terminator);
    } catch (const os::IoError&) {
      // Some virtual file systems have sizes but no mappings: reading is auto's own choice then.
    }
  }
  if (sized) return MakeReadSource(file, info, start, buffer_bytes, terminator, pool);
  return MakeStreamSource(file, buffer_bytes, terminator, pool);
}

}  // namespace mr::io
