#include "lab/studies/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "lab/data/random.h"

namespace mr::lab {
namespace {

constexpr int kParts = 3;
constexpr int kModelResamples = 1000;
constexpr std::uint64_t kSeed = 1;

using Costs = std::array<double, kParts>;

// Gauss with pivoting, over the parts that take part; the others are 0. Nothing when singular.
std::optional<Costs> Solve(std::array<std::array<double, kParts + 1>, kParts> rows,
                           std::array<bool, kParts> part) {
  std::vector<int> kept;
  for (int i = 0; i < kParts; ++i) {
    if (part[i]) kept.push_back(i);
  }
  for (std::size_t step = 0; step < kept.size(); ++step) {
    std::size_t pivot = step;
    for (std::size_t i = step + 1; i < kept.size(); ++i) {
      if (std::abs(rows[kept[i]][kept[step]]) > std::abs(rows[kept[pivot]][kept[step]])) pivot = i;
    }
    std::swap(rows[kept[step]], rows[kept[pivot]]);
    const double head = rows[kept[step]][kept[step]];
    // Columns have been scaled to 1: what is left after elimination tells how independent they are.
    if (std::abs(head) < 1e-9) return std::nullopt;
    for (std::size_t i = step + 1; i < kept.size(); ++i) {
      const double factor = rows[kept[i]][kept[step]] / head;
      for (int column = 0; column <= kParts; ++column) {
        rows[kept[i]][column] -= factor * rows[kept[step]][column];
      }
    }
  }
  Costs costs{};
  for (std::size_t step = kept.size(); step-- > 0;) {
    double rest = rows[kept[step]][kParts];
    for (std::size_t i = step + 1; i < kept.size(); ++i) {
      rest -= rows[kept[step]][kept[i]] * costs[kept[i]];
    }
    costs[kept[step]] = rest / rows[kept[step]][kept[step]];
  }
  return costs;
}

std::optional<Costs> Fit(std::span<const ModelCell> cells, std::span<const double> times) {
  // Relative errors: every equation is divided by its time. Columns are scaled to length 1.
  Costs length{};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    for (int i = 0; i < kParts; ++i) {
      length[i] += std::pow(cells[cell].amounts[i] / times[cell], 2);
    }
  }
  std::array<bool, kParts> part{};
  for (int i = 0; i < kParts; ++i) {
    length[i] = std::sqrt(length[i]);
    part[i] = length[i] > 0;
  }
  std::array<std::array<double, kParts + 1>, kParts> normal{};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    Costs row{};
    for (int i = 0; i < kParts; ++i) {
      if (part[i]) row[i] = cells[cell].amounts[i] / times[cell] / length[i];
    }
    for (int i = 0; i < kParts; ++i) {
      for (int j = 0; j < kParts; ++j) normal[i][j] += row[i] * row[j];
      normal[i][kParts] += row[i];
    }
  }
  while (true) {
    std::optional<Costs> costs = Solve(normal, part);
    if (!costs) return std::nullopt;
    const auto worst = std::min_element(costs->begin(), costs->end());
    if (*worst >= 0) {
      for (int i = 0; i < kParts; ++i) (*costs)[i] = part[i] ? (*costs)[i] / length[i] : 0;
      return costs;
    }
    part[static_cast<std::size_t>(worst - costs->begin())] = false;
  }
}

}  // namespace

std::optional<ModelFit> FitModel(std::span<const ModelCell> cells) {
  if (cells.size() < kParts) return std::nullopt;
  const std::size_t rounds = cells[0].nanoseconds.size();
  std::vector<double> times;
  for (const ModelCell& cell : cells) times.push_back(Median(cell.nanoseconds));
  const std::optional<Costs> costs = Fit(cells, times);
  if (!costs) return std::nullopt;

  ModelFit fit{.costs = *costs, .intervals = {}, .residuals = {}};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    double fitted = 0;
    for (int i = 0; i < kParts; ++i) fitted += fit.costs[i] * cells[cell].amounts[i];
    fit.residuals.push_back(fitted > 0 ? times[cell] / fitted - 1 : 0);
  }
  Random random(kSeed);
  std::array<std::vector<double>, kParts> resampled;
  std::vector<std::size_t> chosen(rounds);
  std::vector<double> values(rounds);
  for (int resample = 0; resample < kModelResamples; ++resample) {
    for (std::size_t& round : chosen) round = random.Below(rounds);
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      for (std::size_t i = 0; i < rounds; ++i) values[i] = cells[cell].nanoseconds[chosen[i]];
      times[cell] = Median(values);
    }
    const std::optional<Costs> again = Fit(cells, times);
    if (!again) continue;
    for (int i = 0; i < kParts; ++i) resampled[i].push_back((*again)[i]);
  }
  for (int i = 0; i < kParts; ++i) {
    fit.intervals[i] = resampled[i].empty()
                           ? Interval{fit.costs[i], fit.costs[i]}
                           : Interval{Quantile(resampled[i], 0.025), Quantile(resampled[i], 0.975)};
  }
  return fit;
}

}  // namespace mr::lab
