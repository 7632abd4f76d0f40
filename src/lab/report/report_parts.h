// What reports of ordered pairs and of comparisons are both made of. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/analysis/paired_ratio.h"
#include "lab/log/record.h"
#include "lab/plan/arm.h"

namespace mr::lab {

// Unrounded, for programs; empty for what there is not.
std::string Number(double value);
std::string Number(const std::optional<double>& value);

// Columns of a table of figures, and their cells in a row: median, low, high, min and max of a
// summary; ratio, ratio_low, ratio_high and adjusted_p of a ratio.
void AppendSummaryColumns(std::vector<std::string>& header, const std::string& measure);
void AppendSummary(std::vector<std::string>& row, const std::optional<Summary>& summary);
void AppendRatioColumns(std::vector<std::string>& header, const std::string& measure);
void AppendRatio(std::vector<std::string>& row, const std::optional<PairedRatio>& ratio);

// null for what there is not.
Json ToJson(const std::optional<double>& value);
Json ToJson(const Interval& interval);
Json ToJson(const std::optional<Summary>& summary);
Json ToJson(const std::optional<PairedRatio>& ratio);

// The indices of the trials of a cell, and of those among them that are outliers.
Json TrialsJson(const std::vector<Observation>& observations);
Json OutliersJson(const std::vector<Observation>& observations, const std::vector<bool>& outlier);

// A line for each arm's command, and one for its version where it is known.
std::string ArmLines(const std::vector<Arm>& arms, const Json& environment);

}  // namespace mr::lab
