#include "io/nul_ahead.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "io/patient_reader.h"
#include "io/round_up.h"

namespace mr::io {
namespace {

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

}  // namespace

bool HasNul(const os::File& file, std::uint64_t offset, std::size_t bytes, std::size_t unit_bytes,
            BufferPool& pool, CacheSteering* steering) {
  const auto lead = static_cast<std::size_t>(offset % unit_bytes);
  const std::uint64_t from = offset - lead;
  const std::size_t span = RoundUp(lead + bytes, unit_bytes);
  Buffer buffer = pool.Take(span);
  std::size_t have = 0;
  CacheSteering::Passage passage;
  try {
    if (steering != nullptr) passage = steering->Enter(file, from, span);
    try {
      have = ReadWhole(file, buffer.data(), span, from, unit_bytes, passage.options);
    } catch (const os::IoError& error) {
      if (error.error_number() != EOPNOTSUPP || !passage.options.dont_cache) throw;
      passage = steering->Refused(file, from, span);
      have = ReadWhole(file, buffer.data(), span, from, unit_bytes, passage.options);
    }
  } catch (const os::IoError&) {
    have = 0;
  }
  if (steering != nullptr) steering->Leave(file, passage);
  const bool found = have > lead && std::memchr(buffer.data() + lead, '\0',
                                                std::min(have - lead, bytes)) != nullptr;
  pool.Return(std::move(buffer));
  return found;
}

}  // namespace mr::io
