// What a source gives out, put together again.
#pragma once

#include <fcntl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/source_factory.h"

namespace mr::io {

struct Drained {
  std::string bytes;         // of all blocks, in order, with the holes that were passed over
  std::uint64_t passed = 0;  // bytes of such holes
  std::string error;         // where the file could not be searched to its end
};

// Takes all blocks. `at_block` is called with the number of blocks taken so far, before the next
// one is asked for.
inline Drained Drain(BlockSource& source, const std::function<void(int)>& at_block = {}) {
  Drained drained;
  for (int taken = 0;; ++taken) {
    if (at_block) at_block(taken);
    const std::unique_ptr<BlockLease> lease = source.Next();
    if (lease == nullptr) return drained;
    const Block& block = lease->block();
    drained.bytes.append(block.zeros_before, '\0');
    drained.passed += block.zeros_before;
    const std::string copy(block.bytes);  // touches lost pages
    const std::optional<Damage> damage = lease->CheckDamage();
    drained.bytes += damage ? copy.substr(0, damage->valid_bytes) : copy;
    if (damage) {
      drained.error = damage->error.what();
      return drained;
    }
  }
}

inline SourceRequest Request(const std::string& spec, const LineRules& rules = {},
                             std::optional<CachePolicy> cache = std::nullopt) {
  SourceRequest request;
  request.spec = ParseIoSpec(spec);
  request.cache = cache;
  request.rules = rules;
  return request;
}

}  // namespace mr::io
