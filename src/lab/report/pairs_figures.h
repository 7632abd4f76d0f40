// The figures of a report on ordered pairs for gnuplot(1), as files for papers and slides. Pure.
#pragma once

#include <vector>

#include "lab/analysis/analysis.h"
#include "lab/plan/plan.h"
#include "lab/report/presentation.h"

namespace mr::lab {

// "pairs-real" and "pairs-disk" (every observation, median and interval), "carry-over" (ratios with
// intervals), "residency" (the page cache after each trial), "trials" (the experiment over time).
std::vector<Figure> PairsFigures(const Plan& plan, const Report& report);

}  // namespace mr::lab
