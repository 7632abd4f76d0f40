// An empty block that tells why there is nothing more.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "io/block.h"

namespace mr::io {

class DamagedLease final : public BlockLease {
 public:
  DamagedLease(std::uint64_t index, os::IoError error) : error_(std::move(error)) {
    block_.index = index;
  }

  bool NulFollows(std::uint64_t) override { return false; }
  std::optional<Damage> CheckDamage() override { return Damage{0, error_}; }

 private:
  os::IoError error_;
};

}  // namespace mr::io
