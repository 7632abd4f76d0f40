// How the user wants bytes to be read: the value of --io.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mr::io {

enum class Mode { kAuto, kRead, kMmap, kDirect, kUring };

// What a search does to the page cache (--cache).
enum class CachePolicy {
  kNormal,  // what the kernel makes of it
  kKeep,    // fills free memory, but never displaces what is resident
  kDrop,    // leaves the page cache as it was
};

// The advice given to madvise(2) for a mapping.
enum class Advice { kNone, kNormal, kSequential, kRandom, kWillNeed };
int MadviseValue(Advice advice);  // MADV_NORMAL for kNone

struct IoSpec {
  Mode mode = Mode::kAuto;
  std::uint64_t buffer_bytes = 0;  // read, direct, uring: per read; 0 is the default
  unsigned depth = 0;              // direct, uring: reads under way at once; 0 is the default
  bool direct = false;             // uring: with O_DIRECT
  std::uint64_t window_bytes = 0;  // mmap: mapped at a time; 0 is the whole file
  bool populate = false;           // mmap: MADV_POPULATE_READ each block before it is searched
  Advice advice = Advice::kNone;   // mmap
};

// A value of --io that makes no sense. what() names the offending part.
class IoSpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "MODE[:OPTION,...]", for example "read:buffer=64K" or "mmap:window=1G,populate,advice=random".
// Throws IoSpecError.
IoSpec ParseIoSpec(std::string_view text);

// "normal", "keep" or "drop". Throws IoSpecError.
CachePolicy ParseCachePolicy(std::string_view text);

}  // namespace mr::io
