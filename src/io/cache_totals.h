// What reads that spare the page cache have done to it.
#pragma once

#include <cstdint>

namespace mr::io {

// Bytes read under the policies keep and drop, by what became of them.
struct CacheTotals {
  std::uint64_t resident = 0;  // were in the cache, and stay
  std::uint64_t added = 0;     // came into the cache, and stay (keep, while there was room)
  std::uint64_t passed = 0;    // left no trace
  std::uint64_t unknown = 0;   // stay there, since nobody could tell what was there before

  CacheTotals& operator+=(const CacheTotals& other) {
    resident += other.resident;
    added += other.added;
    passed += other.passed;
    unknown += other.unknown;
    return *this;
  }
};

}  // namespace mr::io
