// A file brought into memory as one piece, in any of the IO modes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/buffer_pool.h"
#include "io/io_spec.h"

namespace mr::io {

// Where the memory comes from into which a file is read.
enum class Allocation {
  kMalloc,  // malloc(3) and free(3) for every file
  kPool,    // a buffer that is used again and again
};

// Destroying it frees or unmaps the memory.
class WholeFile {
 public:
  virtual ~WholeFile() = default;
  std::string_view bytes() const { return bytes_; }

 protected:
  std::string_view bytes_;
};

// Not thread-safe. Must outlive what it loads.
class WholeFileLoader {
 public:
  // Throws IoSpecError for a spec that is no way to have a whole file at once (auto, windows).
  WholeFileLoader(const IoSpec& spec, Allocation allocation);

  // Opens the file, loads it with the system calls of its mode (read: pread(2) of the whole or in
  // pieces of spec.buffer_bytes; mmap: one mapping; direct and uring: pieces with spec.depth of
  // them under way), and closes it. Throws os::IoError: also for what is not a regular file with
  // contents, and for a file that became shorter meanwhile.
  std::unique_ptr<WholeFile> Load(const std::string& path);

 private:
  class Read;
  class Mapped;

  IoSpec spec_;
  Allocation allocation_;
  BufferPool pool_;
};

}  // namespace mr::io
