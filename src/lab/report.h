// A log as something to read. Everything shown comes from the log, so the report printed after a
// run and the one made from its log later are the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/analysis.h"
#include "lab/log.h"
#include "lab/table.h"

namespace mr::lab {

enum class ReportFormat { kText, kMarkdown, kCsv, kJson };

std::optional<ReportFormat> ParseReportFormat(std::string_view name);  // "text", "markdown", ...

std::string FormatReport(ReportFormat format, const LogContents& log, const Report& report);

// The parts of the text, also for other layouts.

// What was done, to what, on what.
std::string DescribeRun(const LogContents& log, const Report& report);
// A line per trial in the layout of BSD's time, under a title for each pair, fastest first:
//   mr     56.64 real         0.77 user         2.45 sys
std::string ListTrials(const Plan& plan, const Report& report);
// Per ordered pair: n, median, interval, minimum, user, sys, bytes from the disk, ratio.
Table PairTable(const Plan& plan, const Report& report);
// Per pair of different arms: the ratios with intervals and p.
Table CarryOverTable(const Plan& plan, const Report& report);
// Every figure unrounded, in seconds and bytes, for spreadsheets.
Table FigureTable(const Plan& plan, const Report& report);
// The same with everything else that the analysis found, for programs.
Json ReportJson(const LogContents& log, const Report& report);

}  // namespace mr::lab
