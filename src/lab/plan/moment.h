// What had happened to the machine at a moment of a trial.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace mr::lab {

struct Moment {
  std::chrono::milliseconds at{};              // since the start of the run
  std::uint64_t disk_bytes = 0;                // read by the whole machine since then
  std::int64_t major_faults = 0;               // likewise
  std::int64_t io_pressure_us = 0;             // stalled for IO since then: PSI, "some"
  std::optional<std::uint64_t> charged_bytes;  // to the memory group, now

  bool operator==(const Moment&) const = default;
};

}  // namespace mr::lab
