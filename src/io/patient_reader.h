// Reading up to a bad place.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "os/file.h"

namespace mr::io {

// A read that fails with EIO as a whole (a direct one, or one that a server refuses) says nothing
// about the bytes before the bad place. This one is made again in smaller pieces, down to
// `unit_bytes`, and the pieces stay small. For one region of a file; not thread-safe.
class PatientReader {
 public:
  PatientReader(const os::File& file, std::size_t unit_bytes) : file_(file), unit_(unit_bytes) {}

  // As os::File::ReadAt, but may read less than is there. The pieces end at multiples of the unit.
  std::size_t ReadAt(char* buffer, std::size_t bytes, std::uint64_t offset,
                     os::ReadOptions options = {}) {
    while (true) {
      const std::size_t wanted = std::min(bytes, Piece(offset));
      try {
        return file_.ReadAt(buffer, wanted, offset, options);
      } catch (const os::IoError& error) {
        if (error.error_number() != EIO || wanted <= unit_) throw;
        Halve(wanted);
      }
    }
  }

  // A read of `bytes` has failed already.
  void Halve(std::size_t bytes) { piece_ = std::max(unit_, bytes / 2 / unit_ * unit_); }

 private:
  std::size_t Piece(std::uint64_t offset) const {
    return piece_ == kWhole ? kWhole : piece_ - static_cast<std::size_t>(offset % unit_);
  }

  static constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

  const os::File& file_;
  const std::size_t unit_;
  std::size_t piece_ = kWhole;
};

// Pages are what the kernel fails to read as a whole.
constexpr std::size_t kReadUnitBytes = 4096;

}  // namespace mr::io
