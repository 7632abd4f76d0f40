// io_uring(7), as far as reading files needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "os/file.h"

struct io_uring;

namespace mr::os {

// A queue of reads that the kernel works on side by side. Not thread-safe.
class Ring {
 public:
  struct Completion {
    std::uint64_t tag = 0;
    std::size_t bytes = 0;
    int error_number = 0;  // 0: `bytes` were read
  };

  // Room for `depth` reads. Throws IoError, with the name "io_uring", where the kernel has none or
  // forbids it (kernel.io_uring_disabled, seccomp, locked memory).
  explicit Ring(unsigned depth);
  ~Ring();  // waits for the reads under way
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Starts a read; at most `depth` may be under way. `buffer` must live until it is complete.
  // Throws IoError, with the name "io_uring", when the kernel still takes no more after about a
  // second; nothing can be started after that.
  void StartRead(const File& file, char* buffer, std::size_t bytes, std::uint64_t offset,
                 ReadOptions options, std::uint64_t tag);

  // Waits for some read, in no particular order. At least one must be under way.
  Completion Wait();

  // How many of those that were started the kernel has not completed yet.
  unsigned UnderWay() const;

 private:
  std::unique_ptr<io_uring> ring_;
  unsigned under_way_ = 0;
  int broken_ = 0;  // errno
};

}  // namespace mr::os
