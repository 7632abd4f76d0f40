// How the user wants bytes to be read: the value of --io.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mr::io {

enum class Mode { kAuto, kRead, kMmap };

// The advice given to madvise(2) for a mapping.
enum class Advice { kNone, kNormal, kSequential, kRandom, kWillNeed };

struct IoSpec {
  Mode mode = Mode::kAuto;
  std::uint64_t buffer_bytes = 0;  // read: per block; 0 is the default
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

// The inverse: the shortest text that gives the same spec.
std::string FormatIoSpec(const IoSpec& spec);

}  // namespace mr::io
