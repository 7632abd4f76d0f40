// --stats: what a search cost.
#pragma once

#include <chrono>
#include <string>

#include "app/mrgrep/options.h"
#include "search/search.h"

namespace mr::app {

// Lines of text, or one line of JSON, both ending in a newline. Processor time, faults and blocks
// are those of this process up to now; `real` is given by the caller.
std::string FormatStats(StatsFormat format, const search::Totals& totals,
                        std::chrono::nanoseconds real);

}  // namespace mr::app
