// Files mapped into memory, without the danger that comes with it.
//
// A page of a mapping that is no longer backed (the file was truncated, the device failed) raises
// SIGBUS in whoever touches it. Unwinding out of a regular expression engine is no option, so the
// handler puts zeroed anonymous memory in place of everything from the lost page to the end of the
// mapping, remembers where that begins, and lets the access go on. Whoever used the bytes then asks
// FirstLost. mmap(2) is a plain system call on Linux and safe inside a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "os/file.h"

namespace mr::os {

// A read-only private mapping. Movable. Reading it is thread-safe. At most a few hundred may exist
// at a time (the SIGBUS handler looks them up in a fixed table).
class Mapping {
 public:
  // Maps `bytes` > 0 from `offset`, a multiple of the page size. The first call installs the SIGBUS
  // handler. Throws IoError: ENODEV and the like for files that cannot be mapped. `populate` maps
  // all pages at once with MAP_POPULATE, which does not tell when it could not: see Populate.
  Mapping(const File& file, std::uint64_t offset, std::size_t bytes, bool populate = false);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) = delete;
  ~Mapping();

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

  // The offset in the mapping of the first page that turned out to be lost, if any was touched.
  std::optional<std::size_t> FirstLost() const;

  // madvise(2) on [begin, end), widened to pages; advice is advice, so failures are ignored.
  void Advise(int advice, std::size_t begin, std::size_t end) const;

  // MADV_POPULATE_READ (Linux 5.14): maps the pages of [begin, end) at once. 0, or the errno.
  int Populate(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  int slot_ = -1;
};

// Page faults of the calling thread so far that needed no IO (getrusage(2), RUSAGE_THREAD).
std::uint64_t MinorFaultsOfThread();

}  // namespace mr::os
