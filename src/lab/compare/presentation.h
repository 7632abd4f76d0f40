// The log of `mrbench compare` for `mrbench report`.
#pragma once

#include <memory>

#include "lab/log/log_file.h"
#include "lab/report/presentation.h"

namespace mr::lab {

// Throws os::IoError when the log does not hold what such logs do.
std::unique_ptr<Presentation> PresentComparison(const LogFile& log);

}  // namespace mr::lab
