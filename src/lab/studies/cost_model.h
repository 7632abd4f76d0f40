// Time as a sum of parts: so much per call, per page and per byte. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/analysis/statistics.h"

namespace mr::lab {

// One cell: what a pass consists of, and how long it took in each round.
struct ModelCell {
  std::string name;
  std::array<double, 3> amounts{};  // calls, pages, bytes
  std::vector<double> nanoseconds;  // by round
};

struct ModelFit {
  // Nanoseconds per call, page and byte. A part that would come out negative is left out: 0.
  std::array<double, 3> costs{};
  std::array<Interval, 3> intervals{};  // 95 %, resampling rounds
  // Measured over fitted median, less 1, for each cell.
  std::vector<double> residuals;
};

// Least squares of the relative error over the medians of the cells. Nothing when they do not
// determine the three costs (fewer than three cells, or parts in proportion to each other). Cells
// must have the same number of rounds, at least one.
std::optional<ModelFit> FitModel(std::span<const ModelCell> cells);

}  // namespace mr::lab
