// How much data a search is about.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "walk/file_walk.h"

namespace mr::app {

struct DataSize {
  std::uint64_t bytes = 0;  // on disk, of the regular files
  bool complete = true;     // there is nothing else, no pipe for example, to be searched
};

// Counts all files that `plan` finds, until they are more than `enough` or `stop` is set. Opens
// directories, but no files; what cannot be looked at counts as nothing.
DataSize CountBytes(const walk::WalkPlan& plan,
                    std::uint64_t enough = std::numeric_limits<std::uint64_t>::max(),
                    const std::atomic<bool>* stop = nullptr);

}  // namespace mr::app
