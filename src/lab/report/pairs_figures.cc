#include "lab/report/pairs_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "lab/report/gnuplot.h"
#include "lab/report/report.h"

namespace mr::lab {
namespace {

// Labels of ticks: "'mr' 0, 'rr' 1".
std::string Ticks(const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", GnuplotQuote(labels[i]), i);
  }
  return text;
}

// Points need a block of data that is not empty.
std::string Block(std::string_view name, const std::string& lines) {
  return fmt::format("${} << EOD\n{}EOD\n", name, lines.empty() ? "NaN NaN NaN NaN\n" : lines);
}

std::string Strips(const Plan& plan, const Report& report, bool real) {
  std::vector<std::string> labels;
  std::string dots;
  std::string medians;
  for (const auto* cells : {&report.pairs, &report.lead_ins}) {
    for (const Cell& cell : *cells) {
      const std::size_t place = labels.size();
      labels.push_back(CellLabel(plan, cell));
      const double unit = real ? 1 : 1e6;
      for (std::size_t k = 0; k < cell.observations.size(); ++k) {
        const Observation& row = cell.observations[k];
        // Spread sideways, so that equal values are seen.
        const double shift = (static_cast<double>(k * 7 % 11) - 5) / 25;
        dots += fmt::format("{} {}\n", static_cast<double>(place) + shift,
                            (real ? RealSeconds(row) : DiskBytes(row)) / unit);
      }
      const std::optional<Summary>& summary = real ? cell.real : cell.disk_bytes;
      if (!summary) continue;
      medians += fmt::format("{} {} {} {}\n", place, summary->median / unit,
                             summary->interval.low / unit, summary->interval.high / unit);
    }
  }
  return Block("dots", dots) + Block("medians", medians) +
         fmt::format(
             "set title '{}'\nset ylabel '{}'\nset yrange [0:*]\nset xrange [-0.6:{}]\n"
             "set xtics ({})\nset grid ytics\nset key off\n"
             "plot $dots using 1:2 with points pt 7 ps 0.5 lc rgb '#1565c0', "
             "$medians using 1:2:3:4 with yerrorbars pt 1 ps 1.5 lw 2 lc rgb '#c85300'\n",
             real ? "Real time: trials, median, 95 % interval" : "Bytes from the disk",
             real ? "seconds" : "MB", static_cast<double>(labels.size()) - 0.4, Ticks(labels));
}

std::string CarryOverFigure(const Plan& plan, const Report& report) {
  std::vector<std::string> labels;
  std::string real;
  std::string disk;
  const auto line = [&](const CarryOver& ratio, double shift) {
    const Interval& interval = ratio.interval ? *ratio.interval : ratio.range;
    return fmt::format("{} {} {} {}\n", static_cast<double>(labels.size()) + shift, ratio.ratio,
                       interval.low, interval.high);
  };
  for (const Cell& cell : report.pairs) {
    if (!cell.real_carry_over || !cell.bytes_carry_over) continue;
    real += line(*cell.real_carry_over, -0.08);
    disk += line(*cell.bytes_carry_over, 0.08);
    labels.push_back(CellLabel(plan, cell));
  }
  return Block("real", real) + Block("disk", disk) +
         fmt::format(
             "set title 'Carry-over: against the second arm after itself'\nset ylabel 'ratio'\n"
             "set logscale y 2\nset xrange [-0.6:{}]\nset xtics ({})\nset grid ytics\n"
             "set key top left\nplot 1 with lines lc rgb '#888888' notitle, "
             "$real using 1:2:3:4 with yerrorbars pt 7 lw 2 lc rgb '#1565c0' title 'real time', "
             "$disk using 1:2:3:4 with yerrorbars pt 5 lw 2 lc rgb '#c85300' "
             "title 'bytes from the disk'\n",
             static_cast<double>(std::max<std::size_t>(labels.size(), 1)) - 0.4,
             labels.empty() ? "" : Ticks(labels));
}

std::vector<const Observation*> InOrder(const Report& report) {
  std::vector<const Observation*> rows;
  for (const auto* cells : {&report.pairs, &report.lead_ins}) {
    for (const Cell& cell : *cells) {
      for (const Observation& row : cell.observations) rows.push_back(&row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Observation* a, const Observation* b) {
    return a->trial.index < b->trial.index;
  });
  return rows;
}

// An image needs its rows at equal distances, so those that count are numbered anew.
std::string ResidencyFigure(const Report& report) {
  std::string pieces;
  int number = 0;
  for (const Observation* row : InOrder(report)) {
    const std::vector<std::uint64_t>& map = row->after.resident_map;
    if (!map.empty()) ++number;
    const double pages = static_cast<double>(row->after.total_pages) /
                         static_cast<double>(std::max<std::size_t>(map.size(), 1));
    for (std::size_t i = 0; i < map.size(); ++i) {
      pieces += fmt::format("{} {} {:.3f}\n",
                            (static_cast<double>(i) + 0.5) / static_cast<double>(map.size()) * 100,
                            number, std::min(static_cast<double>(map[i]) / pages, 1.0));
    }
  }
  return Block("pieces", pieces) +
         "set title 'In the page cache after each trial'\nset xlabel '% of the file'\n"
         "set ylabel 'trials that count'\nset xrange [0:100]\nset yrange [*:*] reverse\nset "
         "cbrange [0:1]\n"
         "set palette defined (0 '#f2f2ee', 1 '#1565c0')\nset key off\n"
         "plot $pieces using 1:2:3 with image\n";
}

std::string TrialsFigure(const Plan& plan, const Report& report) {
  std::string script;
  std::string plots;
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
    std::string lines;
    for (const Observation* row : InOrder(report)) {
      if (row->trial.arm != static_cast<int>(arm)) continue;
      lines += fmt::format("{} {}\n", row->trial.index + 1, RealSeconds(*row));
    }
    const std::string name = fmt::format("arm{}", arm);
    script += Block(name, lines);
    plots += fmt::format("{}${} using 1:2 with points pt 7 title {}", arm == 0 ? "" : ", ", name,
                         GnuplotQuote(plan.arms[arm].name));
  }
  return script +
         "set title 'The experiment over time'\nset xlabel 'trial'\nset ylabel 'seconds'\n"
         "set yrange [0:*]\nset grid\nset key outside right\nplot " +
         plots + "\n";
}

}  // namespace

std::vector<Figure> PairsFigures(const Plan& plan, const Report& report) {
  // gnuplot has no figures without a point.
  const std::vector<const Observation*> rows = InOrder(report);
  if (rows.empty()) return {};
  std::vector<Figure> figures = {{"pairs-real", Strips(plan, report, true)},
                                 {"pairs-disk", Strips(plan, report, false)}};
  if (std::any_of(rows.begin(), rows.end(),
                  [](const Observation* row) { return !row->after.resident_map.empty(); })) {
    figures.push_back({"residency", ResidencyFigure(report)});
  }
  figures.push_back({"trials", TrialsFigure(plan, report)});
  if (plan.arms.size() > 1) figures.push_back({"carry-over", CarryOverFigure(plan, report)});
  return figures;
}

}  // namespace mr::lab
