// The log of a comparison as something to read. Everything shown comes from the log.
#pragma once

#include <string>

#include "lab/compare/analysis.h"
#include "lab/compare/log.h"
#include "lab/report/report_format.h"
#include "lab/report/table.h"

namespace mr::lab {

std::string FormatComparison(ReportFormat format, const CompareLog& log,
                             const CompareReport& report);

// The parts of the text.

// What was done, to what, where, and what is known about the caches of each place.
std::string DescribeComparison(const CompareLog& log, const CompareReport& report);
// A row per cell: n, median, interval, minimum, user, sys, fetched bytes, and the two ratios.
Table PlaceTable(const ComparePlan& plan, const CompareReport& report);
// A row per cell at an NFS place: READs, their bytes and times, other operations.
Table NfsTable(const ComparePlan& plan, const CompareReport& report);
// Sentences, only what an interval allows.
std::vector<std::string> ConcludeComparison(const ComparePlan& plan, const CompareReport& report);
// Every figure unrounded, in seconds and bytes.
Table ComparisonFigures(const ComparePlan& plan, const CompareReport& report);
// The same with everything else that the analysis found, for programs.
Json ComparisonJson(const CompareLog& log, const CompareReport& report);

}  // namespace mr::lab
