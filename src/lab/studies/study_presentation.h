// The logs of the older studies for `mrbench report`: their text and tables as a page, with the
// figures that gnuplot draws.
#pragma once

#include <memory>

#include "lab/log/log_file.h"
#include "lab/report/presentation.h"

namespace mr::lab {

std::unique_ptr<Presentation> PresentSweep(const LogFile& log);
std::unique_ptr<Presentation> PresentCost(const LogFile& log);
std::unique_ptr<Presentation> PresentAppcache(const LogFile& log);

}  // namespace mr::lab
