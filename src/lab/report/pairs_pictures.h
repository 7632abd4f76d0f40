// The drawings of a report on ordered pairs, as SVG and HTML for lab/report/html.h. Pure.
#pragma once

#include <string>

#include "lab/analysis/analysis.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// Every observation as a dot, a row for each pair, with the median and its interval.
enum class Measure { kReal, kDiskBytes };
std::string DrawStrips(const Plan& plan, const Report& report, Measure measure);

// A field for each ordered pair: its carry-over ratio and interval, coloured by how far from 1 it
// is.
std::string DrawRatioMatrix(const Plan& plan, const Report& report, Measure measure);

// A row for each trial: which parts of the file were in the page cache before and after it.
std::string DrawResidency(const Plan& plan, const Report& report);

// The whole experiment from left to right: for each trial its time, bytes from the disk, faults,
// the share of time that somebody waited for IO, and what others read from disks.
std::string DrawExperiment(const Plan& plan, const Report& report);

// Inside a run: bytes from the disk over time, for the run of each pair with the median time.
// Nothing when the log has no such moments.
std::string DrawProgress(const Plan& plan, const Report& report);

}  // namespace mr::lab
