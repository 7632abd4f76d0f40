// FILE.json: what is known about a data file.
#pragma once

#include <cstdint>
#include <string>

#include "lab/data/set.h"

namespace mr::lab {

// Raised when the same spec begins to give other bytes.
inline constexpr std::uint64_t kGeneratorVersion = 1;

std::string FormatSidecar(const DataSidecar& sidecar);

// Throws os::IoError with `path` when `json_text` is not what FormatSidecar writes.
DataSidecar ParseSidecar(const std::string& json_text, const std::string& path);

}  // namespace mr::lab
