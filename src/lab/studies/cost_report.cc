// What a gigabyte cost, beside what was published.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "io/size.h"
#include "lab/report/gnuplot.h"
#include "lab/studies/cost.h"
#include "lab/studies/cost_model.h"
#include "lab/studies/cost_passes.h"

namespace mr::lab {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kFaultAroundPages = 16;  // published
constexpr double kMsPerNs = 1e-6;

// Milliseconds per gigabyte of the data that the pass went over, by round.
std::vector<double> MsPerGb(const CellView& cell, std::string_view figure) {
  std::vector<double> values = cell.Values(figure);
  const double gigabytes = cell.Median("span_bytes") / kGigabyte;
  for (double& value : values) value = value * kMsPerNs / gigabytes;
  return values;
}

// A pass of one thread over what is in memory waits for nothing: its CPU time is its time, less
// what other processes took of the machine meanwhile.
std::optional<Estimate> Cpu(const StudyLog& log, std::string_view name) {
  const CellView cell(log, name);
  if (cell.empty()) return std::nullopt;
  return EstimateOf(MsPerGb(cell, "cpu_ns"));
}

std::string PerFault(const CellView& cell) {
  const double faults = cell.Median("minor_faults");
  // A few faults are the program's own.
  if (faults < 8) return "-";
  return fmt::format("{:.0f}", cell.Median("span_bytes") / faults);
}

Table CostTable(const StudyLog& log) {
  Table table{.header = {"cell", "n", "wall ms/GB", "95 % interval", "min", "cpu ms/GB",
                         "95 % interval", "sys", "GB/s", "faults", "bytes/fault"},
              .rows = {},
              .word_columns = 1};
  const auto span = [](const Estimate& estimate) {
    return fmt::format("{:.1f} .. {:.1f}", estimate.interval.low, estimate.interval.high);
  };
  for (const std::string& name : log.header.cells) {
    const CellView cell(log, name);
    if (cell.empty()) continue;
    const Estimate wall = EstimateOf(MsPerGb(cell, "wall_ns"));
    const Estimate cpu = EstimateOf(MsPerGb(cell, "cpu_ns"));
    const double gigabytes = cell.Median("span_bytes") / kGigabyte;
    table.rows.push_back({name, fmt::to_string(cell.size()), fmt::format("{:.1f}", wall.median),
                          span(wall), fmt::format("{:.1f}", wall.min),
                          fmt::format("{:.1f}", cpu.median), span(cpu),
                          fmt::format("{:.1f}", cell.Mean("system_us") * 1e-3 / gigabytes),
                          fmt::format("{:.2f}", 1000 / wall.median),
                          fmt::format("{:.0f}", cell.Median("minor_faults")), PerFault(cell)});
  }
  return table;
}

Table CostFigureTable(const StudyLog& log) {
  Table table{.header = {"cell", "rounds", "span_bytes", "moved_bytes", "calls", "pages",
                         "wall_ns_median", "wall_ns_low", "wall_ns_high", "wall_ns_min",
                         "cpu_ns_median", "user_us_mean", "system_us_mean", "minor_faults_median",
                         "major_faults_median", "disk_bytes_median"},
              .rows = {},
              .word_columns = 1};
  for (const std::string& name : log.header.cells) {
    const CellView cell(log, name);
    if (cell.empty()) continue;
    const Estimate wall = EstimateOf(cell.Values("wall_ns"));
    std::vector<std::string> row = {name, fmt::to_string(cell.size())};
    for (const double value :
         {cell.Median("span_bytes"), cell.Median("moved_bytes"), cell.Median("calls"),
          cell.Median("pages"), wall.median, wall.interval.low, wall.interval.high, wall.min,
          cell.Median("cpu_ns"), cell.Mean("user_us"), cell.Mean("system_us"),
          cell.Median("minor_faults"), cell.Median("major_faults"), cell.Median("disk_bytes")}) {
      row.push_back(fmt::format("{}", value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string MsText(const std::optional<Estimate>& cpu) {
  return cpu ? fmt::format("{:.0f} ms ({:.0f} .. {:.0f})", cpu->median, cpu->interval.low,
                           cpu->interval.high)
             : "not measured";
}

// How much dearer `a` is than `b`, round by round.
std::string MoreThan(const StudyLog& log, std::string_view a, std::string_view b) {
  const CellView first(log, a);
  const CellView second(log, b);
  if (first.empty() || first.size() != second.size()) return "not measured";
  const std::vector<double> x = MsPerGb(first, "cpu_ns");
  const std::vector<double> y = MsPerGb(second, "cpu_ns");
  std::vector<double> change;
  for (std::size_t i = 0; i < x.size(); ++i) change.push_back(100 * (x[i] / y[i] - 1));
  const Estimate estimate = EstimateOf(change);
  return fmt::format("{:+.0f} % ({:+.0f} .. {:+.0f})", estimate.median, estimate.interval.low,
                     estimate.interval.high);
}

std::string GbPerSecond(const StudyLog& log, std::string_view name) {
  const auto cpu = Cpu(log, name);
  return cpu ? fmt::format("{:.1f} GB/s", 1000 / cpu->median) : "not measured";
}

std::string BestRead(const StudyLog& log) {
  std::optional<Estimate> best;
  std::string name;
  for (const std::uint64_t bytes : kReadBuffers) {
    const auto cpu = Cpu(log, ReadCell(bytes));
    if (cpu && (!best || cpu->median < best->median)) {
      best = cpu;
      name = io::FormatSize(bytes);
    }
  }
  return best ? MsText(best) + ", buffer " + name : "not measured";
}

Table CostPublishedTable(const StudyLog& log) {
  const std::string large = MmapCell(1'000'000'000, "");
  const CellView mapped(log, large);
  Table table{.header = {"", "published: Linux 4.4", "here"}, .rows = {}, .word_columns = 3};
  table.rows = {{"mmap of 1000 MB, per GB", "about 100 ms (10 GB/s)", MsText(Cpu(log, large))},
                {"read, best buffer, per GB", "about 120 ms (8 GB/s)", BestRead(log)},
                {"mmap in calls of 1 MB", "the same as 1000 MB",
                 MoreThan(log, MmapCell(1'000'000, ""), large)},
                {"mmap in calls of 0.1 MB", "+30 %", MoreThan(log, MmapCell(100'000, ""), large)},
                {"mmap in calls of 0.01 MB", "+100 %", MoreThan(log, MmapCell(10'000, ""), large)},
                {"MAP_POPULATE on 1000 MB", "perhaps -5 %",
                 MoreThan(log, MmapCell(1'000'000'000, "MAP_POPULATE"), large)},
                {"pages mapped by a fault", fmt::format("{:.0f}", kFaultAroundPages),
                 mapped.empty() || mapped.Median("minor_faults") < 1
                     ? "not measured"
                     : fmt::format("{:.0f}", mapped.Median("span_bytes") / kCostPageBytes /
                                                 mapped.Median("minor_faults"))},
                {"memcpy in memory", "about 20 GB/s",
                 GbPerSecond(log, kMemcpyCell) + " to 64K, " + GbPerSecond(log, kMemcpyFarCell) +
                     " to memory"}};
  return table;
}

std::vector<ModelCell> Collect(const StudyLog& log, const std::vector<std::string>& names) {
  std::vector<ModelCell> cells;
  for (const std::string& name : names) {
    const CellView cell(log, name);
    if (cell.size() != static_cast<std::size_t>(log.header.rounds)) continue;
    cells.push_back(
        {.name = name,
         .amounts = {cell.Median("calls"), cell.Median("pages"), cell.Median("moved_bytes")},
         .nanoseconds = cell.Values("cpu_ns")});
  }
  return cells;
}

struct NamedFit {
  std::string name;
  std::vector<ModelCell> cells;
  std::optional<ModelFit> fit;
};

std::vector<NamedFit> FitModels(const StudyLog& log) {
  std::vector<std::string> reads = {std::string(kReadSmallCell), std::string(kReadQuarterCell)};
  for (const std::uint64_t bytes : kReadBuffers) reads.push_back(ReadCell(bytes));
  std::vector<std::string> mmaps = {std::string(kMmapSmallSumCell), std::string(kMmapSumCell)};
  for (const std::uint64_t bytes : kMmapCalls) mmaps.push_back(MmapCell(bytes, ""));
  std::vector<NamedFit> fits;
  for (const auto& [name, cells] : {std::pair{"read", reads}, std::pair{"mmap", mmaps}}) {
    NamedFit fit{.name = name, .cells = Collect(log, cells), .fit = {}};
    fit.fit = FitModel(fit.cells);
    fits.push_back(std::move(fit));
  }
  return fits;
}

std::string DescribeModels(const std::vector<NamedFit>& fits) {
  Table table{.header = {"model", "ns per call", "95 % interval", "ns per page", "95 % interval",
                         "ns per KiB", "95 % interval"},
              .rows = {},
              .word_columns = 1};
  Table residuals{.header = {"cell", "measured ms", "residual %"}, .rows = {}, .word_columns = 1};
  for (const auto& [name, cells, fit] : fits) {
    if (!fit) continue;
    std::vector<std::string> row = {name};
    for (std::size_t i = 0; i < fit->costs.size(); ++i) {
      const double unit = i == 2 ? 1024 : 1;
      row.push_back(fmt::format("{:.1f}", fit->costs[i] * unit));
      row.push_back(fmt::format("{:.1f} .. {:.1f}", fit->intervals[i].low * unit,
                                fit->intervals[i].high * unit));
    }
    table.rows.push_back(std::move(row));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      residuals.rows.push_back({cells[i].name,
                                fmt::format("{:.1f}", Median(cells[i].nanoseconds) * kMsPerNs),
                                fmt::format("{:+.1f}", 100 * fit->residuals[i])});
    }
  }
  if (table.rows.empty()) return "";
  return "CPU time as calls + pages + bytes (a mapping's bytes count where every one is used):\n" +
         ToText(table) + "\n" + ToText(residuals) + "\n";
}

Json ModelsJson(const std::vector<NamedFit>& fits) {
  Json json = Json::object();
  for (const auto& [name, cells, fit] : fits) {
    if (!fit) continue;
    Json residuals = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) residuals[cells[i].name] = fit->residuals[i];
    const auto part = [&fit = fit](std::size_t i) {
      return Json{{"ns", fit->costs[i]},
                  {"interval", {fit->intervals[i].low, fit->intervals[i].high}}};
    };
    json[name] = {{"per_call", part(0)},
                  {"per_page", part(1)},
                  {"per_byte", part(2)},
                  {"residuals", residuals}};
  }
  return json;
}

StudyFigure SizeFigure(const StudyLog& log) {
  Plot plot;
  const auto add = [&](const auto& sizes, const auto& cell_of, const char* title) {
    std::string points;
    for (const std::uint64_t bytes : sizes) {
      const auto cpu = Cpu(log, cell_of(bytes));
      if (!cpu) continue;
      points += fmt::format("{} {} {} {}\n", static_cast<double>(bytes) / 1e6, cpu->median,
                            cpu->interval.low, cpu->interval.high);
    }
    plot.Add(points, "using 1:2:3:4 with yerrorlines", title);
  };
  const auto mmap_cell = [](const char* how) {
    return [how](std::uint64_t bytes) { return MmapCell(bytes, how); };
  };
  add(kReadBuffers, &ReadCell, "read");
  add(kMmapCalls, mmap_cell(""), "mmap");
  add(kMmapCalls, mmap_cell("MAP_POPULATE"), "mmap, MAP\\_POPULATE");
  add(kMmapCalls, mmap_cell("MADV_POPULATE_READ"), "mmap, MADV\\_POPULATE\\_READ");
  return {.name = "cost",
          .script = plot.Script(
              "set title 'What a gigabyte costs'\nset logscale x 10\nset yrange [0:*]\n"
              "set xlabel 'buffer of read, call of mmap (MB)'\n"
              "set ylabel 'CPU milliseconds per GB (median, 95 % interval)'\nset grid\n",
              {"100 with lines dt 2 lc 'gray' title 'published: mmap'",
               "120 with lines dt 3 lc 'gray' title 'published: read'"})};
}

StudyFigure HistoryFigure(const StudyLog& log) {
  const std::pair<History, const char*> histories[] = {{History::kRead32K, "read 32K"},
                                                       {History::kRead1M, "read 1M"},
                                                       {History::kMmap, "mmap"},
                                                       {History::kOrder0, "single pages"}};
  Plot plot;
  for (const char* how : {"read 64K", "mmap whole"}) {
    std::string points;
    for (const auto& [history, name] : histories) {
      const auto cpu = Cpu(log, HistoryCell(history, how));
      if (cpu) points += fmt::format("\"{}\" {}\n", name, cpu->median);
    }
    plot.Add(points, "using 2:xtic(1)", fmt::format("then {}", how));
  }
  return {.name = "cost-history",
          .script = plot.Script(
              "set title 'The same bytes, cached: by how they came into the cache'\n"
              "set style data histogram\nset style histogram clustered gap 1\n"
              "set style fill solid 0.5\nset yrange [0:*]\nset grid y\nset key left top\n"
              "set xlabel 'cached by'\nset ylabel 'CPU milliseconds per GB (median)'\n")};
}

}  // namespace

StudyReport ReportCost(const StudyLog& log) {
  const CostPlan plan = CostPlanFromJson(log.header.plan);
  const std::vector<NamedFit> fits = FitModels(log);
  StudyReport report;
  report.text = fmt::format(
      "What a gigabyte costs that is in the page cache\n"
      "  file     {:.3f} GB of it; {:.3f} GB for memory files and for the copy that is evicted\n",
      static_cast<double>(plan.bytes) / kGigabyte,
      static_cast<double>(plan.part_bytes) / kGigabyte);
  report.text += DescribeStudy(log);
  for (const auto& [name, reason] : plan.unavailable) {
    report.text += fmt::format("  not here {}: {}\n", name, reason);
  }
  report.text += "\n" + ToText(CostTable(log)) +
                 "\nMedian of n rounds with its 95 % bootstrap interval; GB: 10^9 bytes that the "
                 "pass goes over.\n"
                 "Sizes of read in powers of two, of mmap in powers of ten (rounded up to pages). "
                 "One byte of\n"
                 "each page is used; 'sum' uses every byte. What follows is about CPU time.\n\n" +
                 ToText(CostPublishedTable(log)) + "\n" + DescribeModels(fits) +
                 DescribeFailures(log);
  report.table = CostFigureTable(log);
  report.json = StudyJson(log);
  Json cells = Json::object();
  for (const std::vector<std::string>& row : report.table.rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      cells[row[0]][report.table.header[i]] = std::strtod(row[i].c_str(), nullptr);
    }
  }
  report.json["figures"] = cells;
  report.json["models"] = ModelsJson(fits);
  report.json["published"] = {{"mmap_ms_per_gb", 100},  {"read_ms_per_gb", 120},
                              {"mmap_100k_more", 0.3},  {"mmap_10k_more", 1.0},
                              {"populate_more", -0.05}, {"pages_per_fault", kFaultAroundPages},
                              {"memcpy_gb_per_s", 20}};
  report.figures = {SizeFigure(log), HistoryFigure(log)};
  return report;
}

}  // namespace mr::lab
