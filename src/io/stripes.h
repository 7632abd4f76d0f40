// Cutting a file into stripes so that every line belongs to exactly one: the one in which its first
// byte lies. Shared by the sources that give out parts of a file in parallel.
//
// A file may grow while it is searched, and is searched up to where it ends when its last line has
// been reached, as GNU grep does. Two workers must never disagree on that: otherwise one would give
// out the beginning of a line as the file's last, and the other the lines behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "io/lines.h"
#include "os/file.h"

namespace mr::io {

// Where the data of a sparse file is, from lseek(2) SEEK_DATA and SEEK_HOLE. A file that has blocks
// for all of its bytes costs nothing. Offsets may only grow. Not thread-safe.
class Holes {
 public:
  Holes(const os::File& file, const os::FileInfo& info, bool skip)
      : file_(file), skip_(skip && info.allocated_bytes < info.size_bytes) {}

  // The first offset at or behind `offset`, and not behind `size`, that is not in a hole.
  std::uint64_t NextData(std::uint64_t offset, std::uint64_t size);

 private:
  const os::File& file_;
  bool skip_;
  std::uint64_t data_from_ = 0;  // the hole before it and the data behind it are known
  std::uint64_t data_until_ = 0;
};

// Thread-safe.
class StripeQueue {
 public:
  struct Stripe {
    std::uint64_t begin = 0;  // file offsets; empty when only `zeros_before` is left of the file
    std::uint64_t end = 0;
    std::uint64_t index = 0;         // of the stripes given out
    std::uint64_t zeros_before = 0;  // see Block
    bool last = false;               // it ends where the file ended when it was given out
    // The file holds bytes behind the end that stat(2) gives; how many only reading can tell.
    bool exceeds_size = false;
  };

  // `stripe_bytes` > 0. `file` must outlive it.
  StripeQueue(const os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
              std::uint64_t stripe_bytes, bool skip_holes);

  // The next stripe, or nothing at the end of the file, finally.
  std::optional<Stripe> Take();

  // Asks whether the file ends at `offset`, the end of the file as the caller has found it. Once it
  // has been told so, nothing behind that is given out.
  bool EndsAt(std::uint64_t offset);

  // Tells that bytes up to `offset` have been seen. Returns up to where they may be used: no
  // further than where somebody has been told that the file ends.
  std::uint64_t Reach(std::uint64_t offset);

  // Where the file ends as far as it is known, after asking again. Throws os::IoError.
  std::uint64_t Refresh();

  // As far as known, without asking.
  std::uint64_t size();

  // Nothing more is given out.
  void End();

 private:
  bool LookBehindEnd();

  const os::File& file_;
  const std::uint64_t start_;
  const std::uint64_t stripe_bytes_;
  std::mutex mutex_;  // guards what follows
  Holes holes_;
  std::uint64_t size_;  // as far as known
  std::uint64_t next_;  // where the next stripe begins
  std::uint64_t index_ = 0;
  bool size_is_final_ = false;  // somebody has been told that the file ends there
};

}  // namespace mr::io
