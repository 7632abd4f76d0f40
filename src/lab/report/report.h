// A log as something to read. Everything shown comes from the log, so the report printed after a
// run and the one made from its log later are the same.
#pragma once

#include <string>
#include <vector>

#include "lab/analysis/analysis.h"
#include "lab/log/log.h"
#include "lab/report/report_format.h"
#include "lab/report/table.h"

namespace mr::lab {

std::string FormatReport(ReportFormat format, const LogContents& log, const Report& report);

// The parts of the text, also for other layouts.

// "mmap followed by read" and "mr"; "evicted, then read" and "-r".
std::string CellTitle(const Plan& plan, const Cell& cell);
std::string CellLabel(const Plan& plan, const Cell& cell);
// What was done, to what, on what.
std::string DescribeRun(const LogContents& log, const Report& report);
// A line per trial in the layout of BSD's time, under a title for each pair, fastest first:
//   mr     56.64 real         0.77 user         2.45 sys
std::string ListTrials(const Plan& plan, const Report& report);
// Per ordered pair: n, median, interval, minimum, user, sys, bytes from the disk, ratio.
Table PairTable(const Plan& plan, const Report& report);
// What the columns of that table are.
std::string Footnotes(const Report& report);
// Per pair of different arms: the ratios with intervals and p.
Table CarryOverTable(const Plan& plan, const Report& report);
// What makes the run less trustworthy, a sentence without full stop each: what was known before it
// and what was seen while it ran.
std::vector<std::string> FindDoubts(const LogContents& log, const Report& report);
// The trials that do not count, with their reasons, and the events between trials.
std::string DescribeExcluded(const LogContents& log, const Report& report);
// Every figure unrounded, in seconds and bytes, for spreadsheets.
Table FigureTable(const Plan& plan, const Report& report);
// The same with everything else that the analysis found, for programs.
Json ReportJson(const LogContents& log, const Report& report);

}  // namespace mr::lab
