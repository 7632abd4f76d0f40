// A small file, read whole before it is searched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/block.h"
#include "io/buffer_pool.h"
#include "os/file.h"

namespace mr::io {

// One block, the whole file as it was when it was read.
class LoadedSource final : public BlockSource {
 public:
  // The first `bytes` bytes of `buffer`, which goes back to `pool` in the end.
  LoadedSource(Buffer buffer, std::size_t bytes, BufferPool& pool);
  ~LoadedSource() override;

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return false; }
  std::string_view mode() const override { return "read"; }

  std::uint64_t size_bytes() const { return bytes_; }

 private:
  Buffer buffer_;
  const std::size_t bytes_;
  BufferPool& pool_;
  std::atomic<bool> given_out_{false};
};

// By one pread(2) of `most` bytes, for regular files of a local file system (os::FileSystemKind).
// Null when the file has `most` bytes or more, or cannot be read so.
std::unique_ptr<LoadedSource> LoadWhole(const os::File& file, std::size_t most, BufferPool& pool);

}  // namespace mr::io
