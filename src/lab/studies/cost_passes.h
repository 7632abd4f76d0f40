// Single passes over a file, as the cost study measures them: each in order, with one byte of every
// page used, so that all of them see the same bytes and the sum of those proves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "io/io_spec.h"
#include "os/file.h"

namespace mr::lab {

inline constexpr std::size_t kCostPageBytes = 4096;

// What a pass did. `sum` is over the first byte of every page, or over all 8-byte words when every
// byte is used.
struct PassCount {
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;  // copied or, of a mapping, used
  std::uint64_t calls = 0;  // system calls that move or map
  std::uint64_t pages = 0;

  PassCount& operator+=(const PassCount& other);
};

// How much of what was read or mapped is used.
enum class Use { kPages, kEveryByte };

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// pread(2) of `take` bytes at every multiple of `step` in the range, into `buffer`, which holds
// them. take < step leaves gaps.
PassCount ReadPass(const os::File& file, Range range, std::size_t step, std::size_t take,
                   std::span<char> buffer, Use use);

enum class Populate { kNo, kMapPopulate, kMadvise };

// One mapping after the other of `call_bytes`, rounded up to pages, each used and unmapped. With
// `huge`, MADV_HUGEPAGE first. Throws os::IoError also when MADV_POPULATE_READ fails.
PassCount MmapPass(const os::File& file, Range range, std::uint64_t call_bytes, Populate populate,
                   io::Advice advice, Use use, bool huge = false);

// `depth` reads of buffer.size() / depth bytes under way, through io_uring(7) or, with O_DIRECT,
// threads.
PassCount DeepPass(const os::File& file, Range range, bool direct, unsigned depth,
                   std::span<char> buffer);

// The range cut into `threads` parts of whole pages, each passed over by a thread of its own.
PassCount Parallel(Range range, unsigned threads,
                   const std::function<PassCount(Range, unsigned)>& pass);

// Over memory of this process.
PassCount SumMemory(std::string_view memory);
PassCount CopyMemory(std::string_view memory, std::span<char> target);  // target is used in turns

}  // namespace mr::lab
