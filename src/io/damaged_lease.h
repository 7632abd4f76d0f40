// An empty block that tells why there is nothing more.
#pragma once

#include <cstdint>
#include <utility>

#include "io/block.h"

namespace mr::io {

class DamagedLease final : public BlockLease {
 public:
  DamagedLease(std::uint64_t index, os::IoError error) {
    block_.index = index;
    damage_.emplace(Damage{0, std::move(error)});
  }

  bool NulFollows(std::uint64_t) override { return false; }
};

}  // namespace mr::io
