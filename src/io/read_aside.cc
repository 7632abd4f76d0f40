#include "io/read_aside.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "io/patient_reader.h"
#include "io/round_up.h"

namespace mr::io {
namespace {

// Of what is read again.
constexpr std::size_t kAgainBytes = std::size_t{1} << 20;

// The part of [from, from + bytes) that is there.
std::size_t ReadWhole(const os::File& file, char* to, std::size_t bytes, std::uint64_t from,
                      std::size_t unit_bytes, os::ReadOptions options) {
  PatientReader reader(file, std::lcm(kReadUnitBytes, unit_bytes));
  std::size_t have = 0;
  while (have < bytes) {
    const std::size_t got = reader.ReadAt(to + have, bytes - have, from + have, options);
    have += got;
    // Behind a part of a unit there is nothing more, or a direct read could not go on.
    if (got == 0 || got % unit_bytes != 0) break;
  }
  return have;
}

// Reads the units that hold [offset, offset + bytes), and calls `use` with what is there of it.
// Throws os::IoError.
template <typename Use>
void ReadUnits(const os::File& file, std::uint64_t offset, std::size_t bytes,
               std::size_t unit_bytes, BufferPool& pool, CacheSteering* steering, Use use) {
  const auto lead = static_cast<std::size_t>(offset % unit_bytes);
  const std::uint64_t from = offset - lead;
  const std::size_t span = RoundUp(lead + bytes, unit_bytes);
  Buffer buffer = pool.Take(span);
  std::size_t have = 0;
  CacheSteering::Passage passage;
  if (steering != nullptr) passage = steering->Enter(file, from, span);
  const auto leave = [&] {
    if (steering != nullptr) steering->Leave(file, passage);
  };
  try {
    try {
      have = ReadWhole(file, buffer.data(), span, from, unit_bytes, passage.options);
    } catch (const os::IoError& error) {
      if (error.error_number() != EOPNOTSUPP || !passage.options.dont_cache) throw;
      passage = steering->Refused(file, from, span);
      have = ReadWhole(file, buffer.data(), span, from, unit_bytes, passage.options);
    }
  } catch (const os::IoError&) {
    leave();
    throw;
  }
  leave();
  use(std::string_view(buffer.data() + lead, std::min(have - std::min(have, lead), bytes)));
  pool.Return(std::move(buffer));
}

}  // namespace

bool HasNul(const os::File& file, std::uint64_t offset, std::size_t bytes, std::size_t unit_bytes,
            BufferPool& pool, CacheSteering* steering) {
  bool found = false;
  try {
    ReadUnits(file, offset, bytes, unit_bytes, pool, steering, [&](std::string_view there) {
      found = std::memchr(there.data(), '\0', there.size()) != nullptr;
    });
  } catch (const os::IoError&) {
    // Whoever gets there will say so.
  }
  return found;
}

std::size_t ReadAgain(const os::File& file, char* to, std::size_t bytes, std::uint64_t offset,
                      std::size_t unit_bytes, BufferPool& pool, CacheSteering* steering) {
  std::size_t have = 0;
  while (have < bytes) {
    const std::size_t wanted = std::min(bytes - have, kAgainBytes);
    std::size_t got = 0;
    ReadUnits(file, offset + have, wanted, unit_bytes, pool, steering, [&](std::string_view there) {
      std::memcpy(to + have, there.data(), there.size());
      got = there.size();
    });
    have += got;
    if (got < wanted) break;
  }
  return have;
}

}  // namespace mr::io
