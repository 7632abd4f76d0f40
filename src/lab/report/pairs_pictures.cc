#include "lab/report/pairs_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "io/size.h"
#include "lab/report/html.h"
#include "lab/report/report.h"
#include "lab/report/svg.h"
#include "lab/trial/neighbours.h"

namespace mr::lab {
namespace {

constexpr double kWidth = 560;

std::string FillOf(int arm) { return "fill:" + ArmColour(arm); }

std::string StrokeOf(int arm, double width) {
  return fmt::format("stroke:{};stroke-width:{};fill:none", ArmColour(arm), width);
}

std::string Seconds(double value) { return ShortNumber(value) + " s"; }

double ValueOf(const Observation& row, Measure measure) {
  return measure == Measure::kReal ? RealSeconds(row) : DiskBytes(row);
}

std::string Shown(double value, Measure measure) {
  return measure == Measure::kReal ? Seconds(value) : io::RoughSize(value);
}

std::vector<const Cell*> AllCells(const Report& report) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : report.pairs) cells.push_back(&cell);
  for (const Cell& cell : report.lead_ins) cells.push_back(&cell);
  return cells;
}

// All rows that ran, in the order of the schedule.
std::vector<const Observation*> RowsInOrder(const Report& report) {
  std::vector<const Observation*> rows;
  for (const Cell* cell : AllCells(report)) {
    for (const Observation& row : cell->observations) rows.push_back(&row);
  }
  for (const Observation& row : report.excluded) {
    if (row.real.count() > 0) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(), [](const Observation* a, const Observation* b) {
    return a->trial.index < b->trial.index;
  });
  return rows;
}

// The widest label takes about this much room.
double LabelRoom(const Plan& plan, const Report& report) {
  std::size_t longest = 2;
  for (const Cell* cell : AllCells(report)) {
    longest = std::max(longest, CellLabel(plan, *cell).size());
  }
  return 14 + 7 * static_cast<double>(std::min<std::size_t>(longest, 20));
}

// Neighbouring pieces of the same shade are drawn as one; shades are tenths.
void DrawMap(Svg& svg, const CacheState& state, double x, double y, double width, double height,
             const std::string& title) {
  svg.Rectangle(x, y, width, height, "box", title);
  const std::vector<std::uint64_t>& pieces = state.resident_map;
  if (pieces.empty()) return;
  const double pages_in_piece =
      static_cast<double>(state.total_pages) / static_cast<double>(pieces.size());
  const auto shade = [&](std::size_t i) {
    return std::min(std::lround(std::ceil(10 * static_cast<double>(pieces[i]) / pages_in_piece)),
                    10L);
  };
  const double piece_width = width / static_cast<double>(pieces.size());
  for (std::size_t i = 0; i < pieces.size();) {
    std::size_t end = i + 1;
    while (end < pieces.size() && shade(end) == shade(i)) ++end;
    if (shade(i) > 0) {
      svg.Rectangle(x + static_cast<double>(i) * piece_width, y,
                    static_cast<double>(end - i) * piece_width, height,
                    fmt::format("fill:var(--arm0);opacity:{}", static_cast<double>(shade(i)) / 10));
    }
    i = end;
  }
}

std::string ResidencyTitle(const char* when, const CacheState& state) {
  if (!state.resident_pages) return fmt::format("{}: unknown", when);
  return fmt::format("{}: {} of {} pages", when, *state.resident_pages, state.total_pages);
}

struct Panel {
  std::string title;
  std::function<double(const Observation&)> value;
  std::function<std::string(double)> format;
};

double IoPressureShare(const Observation& row) {
  const double stalled = static_cast<double>(os::Find(row.pressure, "io.some").value_or(0));
  const double real = std::chrono::duration<double, std::micro>(row.real).count();
  return real <= 0 ? 0 : 100 * std::min(stalled / real, 1.0);
}

std::vector<Panel> Panels() {
  const auto size = [](double value) { return io::RoughSize(value); };
  return {
      {"real time", RealSeconds, Seconds},
      {"from the disk", DiskBytes, size},
      {"page faults, minor and major",
       [](const Observation& row) {
         return static_cast<double>(row.usage.minor_faults + row.usage.major_faults);
       },
       [](double value) { return ShortNumber(value); }},
      {"somebody waited for IO (PSI)", IoPressureShare,
       [](double value) { return ShortNumber(value) + " %"; }},
      {"others read from disks",
       [](const Observation& row) { return static_cast<double>(NeighbourDiskBytes(row)); }, size}};
}

}  // namespace

std::string DrawStrips(const Plan& plan, const Report& report, Measure measure) {
  constexpr double kRow = 26;
  const std::vector<const Cell*> cells = AllCells(report);
  const double left = LabelRoom(plan, report);
  double most = 0;
  for (const Cell* cell : cells) {
    for (const Observation& row : cell->observations) most = std::max(most, ValueOf(row, measure));
  }
  const double bottom = kRow * static_cast<double>(cells.size()) + 6;
  const bool real = measure == Measure::kReal;
  Svg svg(kWidth, bottom + 20, real ? "Times of all trials" : "Bytes from the disk in all trials");
  const Scale scale(0, most, left, kWidth - 24);
  svg.AxisX(scale, 0, bottom, [&](double value) { return Shown(value, measure); });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = *cells[i];
    const double y = kRow * (static_cast<double>(i) + 0.5) + 3;
    svg.Text(0, y + 4, CellLabel(plan, cell));
    const std::optional<Summary>& summary = real ? cell.real : cell.disk_bytes;
    if (!summary) continue;
    svg.Line(scale.At(summary->interval.low), y, scale.At(summary->interval.high), y,
             fmt::format("stroke:{};stroke-width:9;opacity:.3", ArmColour(cell.second)));
    svg.Line(scale.At(summary->median), y - 9, scale.At(summary->median), y + 9,
             StrokeOf(cell.second, 2));
    for (std::size_t k = 0; k < cell.observations.size(); ++k) {
      const Observation& row = cell.observations[k];
      // Spread over the height of the row, so that equal values are seen.
      const double shift = static_cast<double>(k * 7 % 11) - 5;
      const bool apart = real && cell.outlier[k];
      svg.Dot(scale.At(ValueOf(row, measure)), y + shift, apart ? 4 : 2.5,
              apart ? StrokeOf(cell.second, 1.5) : FillOf(cell.second),
              fmt::format("trial {}, block {}: {}{}", row.trial.index + 1, row.trial.block + 1,
                          Shown(ValueOf(row, measure), measure), apart ? " (outlier)" : ""));
    }
  }
  return svg.Finish();
}

std::string DrawRatioMatrix(const Plan& plan, const Report& report, Measure measure) {
  const std::size_t arms = plan.arms.size();
  std::string html = "<div class=\"wide\"><table>\n<tr><th class=\"word\">first \\ second</th>";
  for (const Arm& arm : plan.arms) html += "<th>" + EscapeHtml(arm.name) + "</th>";
  html += "</tr>\n";
  for (std::size_t first = 0; first < arms; ++first) {
    html += "<tr><th class=\"word\">" + EscapeHtml(plan.arms[first].name) + "</th>";
    for (std::size_t second = 0; second < arms; ++second) {
      const Cell& cell = report.pairs[first * arms + second];
      const auto& ratio = measure == Measure::kReal ? cell.real_carry_over : cell.bytes_carry_over;
      if (first == second || !ratio) {
        html += fmt::format("<td class=\"cell\">{}</td>", first == second ? "1" : "-");
        continue;
      }
      // Full colour at half or twice.
      const double strength = std::min(std::abs(std::log2(ratio->ratio)), 1.0) * 0.55;
      const Interval& interval = ratio->interval ? *ratio->interval : ratio->range;
      html += fmt::format(
          "<td class=\"cell\" style=\"background:rgb(var(--{}) / {:.2f})\">{}{:.3f}{}<br>"
          "<span class=\"faint\">{:.3f} .. {:.3f}{}</span></td>",
          ratio->ratio < 1 ? "less" : "more", strength, ratio->effect ? "<b>" : "", ratio->ratio,
          ratio->effect ? "</b>" : "", interval.low, interval.high, ratio->interval ? "" : " *");
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string DrawResidency(const Plan& plan, const Report& report) {
  constexpr double kRow = 9;
  constexpr double kGap = 16;
  const double left = LabelRoom(plan, report);
  const double column = (kWidth - left - 12) / 2;
  double height = 20;
  for (const Cell* cell : AllCells(report)) {
    if (!cell->observations.empty()) {
      height += kRow * static_cast<double>(cell->observations.size()) + kGap;
    }
  }
  Svg svg(kWidth, height, "Which parts of the file were in the page cache");
  svg.Text(left + column / 2, 12, "before", Svg::Align::kMiddle, "faint");
  svg.Text(left + column * 1.5 + 12, 12, "after", Svg::Align::kMiddle, "faint");
  double y = 20;
  for (const Cell* cell : AllCells(report)) {
    if (cell->observations.empty()) continue;
    svg.Text(0, y + 9, CellLabel(plan, *cell));
    for (const Observation& row : cell->observations) {
      const std::string trial = fmt::format("trial {}, ", row.trial.index + 1);
      DrawMap(svg, row.before, left, y, column, kRow - 2,
              trial + ResidencyTitle("before", row.before));
      DrawMap(svg, row.after, left + column + 12, y, column, kRow - 2,
              trial + ResidencyTitle("after", row.after));
      y += kRow;
    }
    y += kGap;
  }
  return svg.Finish();
}

std::string DrawExperiment(const Plan& plan, const Report& report) {
  constexpr double kLeft = 56;
  constexpr double kPanel = 64;
  constexpr double kTitle = 20;
  const std::vector<const Observation*> rows = RowsInOrder(report);
  const std::vector<Panel> panels = Panels();
  Svg svg(kWidth, static_cast<double>(panels.size()) * (kPanel + kTitle) + 24,
          "The experiment from its first to its last trial");
  const double step =
      (kWidth - kLeft - 4) / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  double y = 0;
  for (const Panel& panel : panels) {
    y += kTitle;
    svg.Text(kLeft, y - 5, panel.title, Svg::Align::kStart, "faint");
    double most = 0;
    for (const Observation* row : rows) most = std::max(most, panel.value(*row));
    const Scale scale(0, most, y + kPanel, y);
    svg.Line(kLeft, y + kPanel, kWidth - 4, y + kPanel, "grid");
    svg.Text(kLeft - 4, y + 10, panel.format(most), Svg::Align::kEnd, "faint");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Observation& row = *rows[i];
      const double top = scale.At(panel.value(row));
      svg.Rectangle(kLeft + static_cast<double>(i) * step, top, std::max(step - 1, 0.5),
                    y + kPanel - top,
                    row.outcome == Outcome::kOk ? FillOf(row.trial.arm) : "fill:var(--faint)",
                    fmt::format("trial {}, {}: {}", row.trial.index + 1,
                                plan.arms[row.trial.arm].name, panel.format(panel.value(row))));
    }
    y += kPanel;
  }
  double x = kLeft;
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
    svg.Rectangle(x, y + 8, 10, 10, FillOf(static_cast<int>(arm)));
    svg.Text(x + 14, y + 17, plan.arms[arm].name);
    x += 28 + 7 * static_cast<double>(plan.arms[arm].name.size());
  }
  return svg.Finish();
}

std::string DrawProgress(const Plan& plan, const Report& report) {
  constexpr double kLeft = 56;
  constexpr double kHeight = 240;
  struct Run {
    const Cell* cell;
    const Observation* row;
  };
  std::vector<Run> runs;
  double longest = 0;
  double most = 0;
  for (const Cell& cell : report.pairs) {
    if (cell.observations.empty()) continue;
    std::vector<const Observation*> rows;
    for (const Observation& row : cell.observations) rows.push_back(&row);
    std::sort(rows.begin(), rows.end(),
              [](const Observation* a, const Observation* b) { return a->real < b->real; });
    const Observation* const median = rows[rows.size() / 2];
    if (median->trace.moments.empty()) continue;
    runs.push_back({&cell, median});
    const Moment& last = median->trace.moments.back();
    longest = std::max(longest, std::chrono::duration<double>(last.at).count());
    most = std::max(most, static_cast<double>(last.disk_bytes));
  }
  if (runs.empty()) return "";
  Svg svg(kWidth, kHeight + 24, "Bytes from the disk while a run lasts");
  const Scale time(0, longest, kLeft, kWidth - 60);
  const Scale bytes(0, most, kHeight, 8);
  svg.AxisX(time, 8, kHeight, Seconds);
  svg.AxisY(bytes, kLeft, kWidth - 60, [](double value) { return io::RoughSize(value); });
  for (const auto& [cell, row] : runs) {
    std::vector<std::pair<double, double>> points = {{time.At(0), bytes.At(0)}};
    for (const Moment& moment : row->trace.moments) {
      points.emplace_back(time.At(std::chrono::duration<double>(moment.at).count()),
                          bytes.At(static_cast<double>(moment.disk_bytes)));
    }
    // The first arm is told by how the line is broken.
    svg.Path(
        points,
        StrokeOf(cell->second, 2) +
            (cell->first == 0 ? "" : fmt::format(";stroke-dasharray:{} 3", 2 + 4 * *cell->first)));
    svg.Text(points.back().first + 4, points.back().second + 4, CellLabel(plan, *cell));
  }
  return svg.Finish();
}

}  // namespace mr::lab
