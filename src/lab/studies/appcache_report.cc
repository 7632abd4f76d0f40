// What the application cache showed, beside what was published in 2010.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "io/multi_page_buffer.h"
#include "io/size.h"
#include "lab/report/gnuplot.h"
#include "lab/studies/appcache.h"

namespace mr::lab {
namespace {

constexpr double kPublishedKernelMs = 15253;
constexpr double kPublishedApplicationMs = 2784;
constexpr double kMs = 1e-6;  // of a nanosecond
constexpr double kMib = 1 << 20;

struct PassCell {
  std::string_view name;
  const char* what;
};
constexpr std::array<PassCell, 9> kPasses = {
    {{kKernelCell, "open, read into 8 MiB, close"},
     {kApplicationCell, "open /dev/null, write, close"},
     {kMmapCell, "open, map, unmap, close"},
     {kCopyCell, "open /dev/null, copy into 8 MiB, close"},
     {kMmapCopyCell, "open, map, copy into 8 MiB, unmap, close"},
     {kSearchKernelCell, "open, read, search, close"},
     {kSearchApplicationCell, "open /dev/null, search, close"},
     {kSearchMmapCell, "open, map, search, unmap, close"},
     {kLoadCell, "read every file into a new application cache"}}};

std::vector<double> Ms(const CellView& cell) {
  std::vector<double> values = cell.Values("wall_ns");
  for (double& value : values) value *= kMs;
  return values;
}

Table PassTable(const StudyLog& log, const AppcachePlan& plan) {
  Table table{.header = {"cell", "what", "n", "min ms", "median", "95 % interval", "us/file",
                         "GB/s", "cpu ms", "system", "faults"},
              .rows = {},
              .word_columns = 2};
  for (const PassCell& pass : kPasses) {
    const CellView cell(log, pass.name);
    if (cell.empty()) continue;
    const Estimate wall = EstimateOf(Ms(cell));
    table.rows.push_back({std::string(pass.name), pass.what, fmt::to_string(cell.size()),
                          fmt::format("{:.1f}", wall.min), fmt::format("{:.1f}", wall.median),
                          fmt::format("{:.1f} .. {:.1f}", wall.interval.low, wall.interval.high),
                          fmt::format("{:.2f}", wall.min * 1e3 / static_cast<double>(plan.files)),
                          fmt::format("{:.2f}", static_cast<double>(plan.bytes) / (wall.min * 1e6)),
                          fmt::format("{:.1f}", cell.Min("cpu_ns") * kMs),
                          fmt::format("{:.0f}", cell.Mean("system_us") / 1e3),
                          fmt::format("{:.0f}", cell.Median("minor_faults"))});
  }
  return table;
}

// The quotient of the least times, as the seed compares; nothing when one was not measured.
std::optional<double> Ratio(const StudyLog& log, std::string_view slow, std::string_view fast,
                            std::string_view figure = "wall_ns") {
  const CellView a(log, slow);
  const CellView b(log, fast);
  if (a.empty() || b.empty()) return std::nullopt;
  return a.Min(figure) / b.Min(figure);
}

std::string Times(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "not measured";
}

std::string MinMs(const StudyLog& log, std::string_view name) {
  const CellView cell(log, name);
  return cell.empty() ? "not measured" : fmt::format("{:.0f} ms", cell.Min("wall_ns") * kMs);
}

Table AppcachePublishedTable(const StudyLog& log) {
  Table table{.header = {"least of the runs", "2010: 2 x Pentium III, NetBSD", "here"},
              .rows = {},
              .word_columns = 2};
  table.rows = {
      {"kernel file cache", fmt::format("{:.0f} ms", kPublishedKernelMs), MinMs(log, kKernelCell)},
      {"application cache", fmt::format("{:.0f} ms", kPublishedApplicationMs),
       MinMs(log, kApplicationCell)},
      {"kernel / application", fmt::format("{:.1f}", kPublishedKernelMs / kPublishedApplicationMs),
       Times(Ratio(log, kKernelCell, kApplicationCell))},
      {"the same in CPU time", "-", Times(Ratio(log, kKernelCell, kApplicationCell, "cpu_ns"))},
      {"the same when both copy", "-", Times(Ratio(log, kKernelCell, kCopyCell))},
      {"the same when both search", "-",
       Times(Ratio(log, kSearchKernelCell, kSearchApplicationCell))},
      {"mmap / application, search", "-",
       Times(Ratio(log, kSearchMmapCell, kSearchApplicationCell))},
      {"mmap / kernel, search", "-", Times(Ratio(log, kSearchMmapCell, kSearchKernelCell))},
      {"searches that pay for loading", "-", [&]() -> std::string {
         const CellView load(log, kLoadCell);
         const CellView kernel(log, kSearchKernelCell);
         const CellView application(log, kSearchApplicationCell);
         if (load.empty() || kernel.empty() || application.empty()) return "not measured";
         const double gain = kernel.Min("wall_ns") - application.Min("wall_ns");
         if (gain <= 0) return "none would";
         return fmt::format("{:.1f}", load.Min("wall_ns") / gain);
       }()}};
  return table;
}

std::string DescribePool(const StudyLog& log) {
  const CellView load(log, kLoadCell);
  if (load.empty()) return "";
  const double mapped = load.Median("pool_mapped_bytes");
  const double used = load.Median("pool_used_bytes");
  const double asked = load.Median("pool_asked_bytes");
  const double records = load.Median("pool_overhead_bytes") + load.Median("cache_overhead_bytes");
  std::string text = fmt::format(
      "The loaded cache: {:.1f} MiB of files in {:.1f} MiB of pages in {:.1f} MiB of maps\n"
      "  lost inside pages (internal fragmentation)  {:6.2f} %\n"
      "  free pages (external fragmentation)         {:6.2f} %\n"
      "  records of pool and cache                   {:6.2f} % of the files\n",
      asked / kMib, used / kMib, mapped / kMib, 100 * (1 - asked / used), 100 * (1 - used / mapped),
      100 * records / asked);
  Table table{.header = {"page size", "used", "free"}, .rows = {}, .word_columns = 1};
  for (int i = 0; i < io::kBufferPageSizes; ++i) {
    const std::string size = io::FormatSize(io::BufferPageBytes(i));
    if (!load.rows().front()->figures.contains("pages_used_" + size)) continue;
    table.rows.push_back({size, fmt::format("{:.0f}", load.Median("pages_used_" + size)),
                          fmt::format("{:.0f}", load.Median("pages_free_" + size))});
  }
  return text + ToText(table);
}

double HitRate(const CellView& cell, const char* hits, const char* misses) {
  const double found = cell.Mean(hits);
  return found / (found + cell.Mean(misses));
}

Table ShortTable(const StudyLog& log, const AppcachePlan& plan) {
  Table table{.header = {"memory", "accesses", "n", "hits %", "bytes hit %", "median ms",
                         "us/access", "evictions", "limit used %"},
              .rows = {},
              .word_columns = 2};
  for (const double share : plan.short_shares) {
    for (const AccessPattern pattern :
         {AccessPattern::kCyclic, AccessPattern::kRandom, AccessPattern::kSkewed}) {
      const CellView cell(log, ShortCell(share, pattern));
      if (cell.empty()) continue;
      table.rows.push_back(
          {fmt::format("{:.0f} % of the files", 100 * share),
           std::string(AccessPatternName(pattern)), fmt::to_string(cell.size()),
           fmt::format("{:.1f}", 100 * HitRate(cell, "hits", "misses")),
           fmt::format("{:.1f}", 100 * HitRate(cell, "hit_bytes", "miss_bytes")),
           fmt::format("{:.0f}", cell.Median("wall_ns") * kMs),
           fmt::format("{:.2f}",
                       cell.Median("wall_ns") * 1e-3 / (cell.Mean("hits") + cell.Mean("misses"))),
           fmt::format("{:.0f}", cell.Mean("evictions")),
           fmt::format("{:.1f}", 100 * cell.Mean("pool_asked_bytes") / cell.Mean("limit_bytes"))});
    }
  }
  return table;
}

// Every figure of every cell: median, least and greatest.
Table AppcacheFigureTable(const StudyLog& log) {
  Table table{
      .header = {"cell", "figure", "n", "median", "min", "max"}, .rows = {}, .word_columns = 2};
  for (const std::string& name : log.header.cells) {
    const CellView cell(log, name);
    if (cell.empty()) continue;
    for (const auto& [figure, ignored] : cell.rows().front()->figures) {
      const std::vector<double> values = cell.Values(figure);
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      table.rows.push_back({name, figure, fmt::to_string(values.size()),
                            fmt::format("{}", Median(values)), fmt::format("{}", *least),
                            fmt::format("{}", *most)});
    }
  }
  return table;
}

StudyFigure PassFigure(const StudyLog& log) {
  std::string points;
  for (const PassCell& pass : kPasses) {
    const CellView cell(log, pass.name);
    if (cell.empty()) continue;
    const Estimate wall = EstimateOf(Ms(cell));
    points += fmt::format("\"{}\" {} {} {}\n", pass.name, wall.median, wall.interval.low,
                          wall.interval.high);
  }
  Plot plot;
  plot.Add(points, "using 0:2:3:4:(0.6):xtic(1) with boxerrorbars", "");
  return {.name = "appcache",
          .script = plot.Script("set title 'One pass over all files'\n"
                                "set ylabel 'milliseconds (median, 95 % interval)'\n"
                                "set yrange [0:*]\nset style fill solid 0.5\n"
                                "set grid y\nunset key\nset xtics rotate by -30\n")};
}

StudyFigure HitFigure(const StudyLog& log, const AppcachePlan& plan) {
  Plot plot;
  for (const AccessPattern pattern :
       {AccessPattern::kCyclic, AccessPattern::kRandom, AccessPattern::kSkewed}) {
    std::string points;
    for (const double share : plan.short_shares) {
      const CellView cell(log, ShortCell(share, pattern));
      if (cell.empty()) continue;
      points += fmt::format("{} {}\n", 100 * share, 100 * HitRate(cell, "hits", "misses"));
    }
    plot.Add(points, "with linespoints", AccessPatternName(pattern));
  }
  return {.name = "appcache-hits",
          .script = plot.Script("set title 'Hits when memory is short'\n"
                                "set xlabel 'memory (% of the files)'\n"
                                "set ylabel 'hits (% of accesses)'\nset xrange [0:100]\n"
                                "set yrange [0:100]\nset key left top\nset grid\n",
                                {"x with lines dt 2 lc 'gray' title 'memory'"})};
}

}  // namespace

StudyReport ReportAppcache(const StudyLog& log) {
  const AppcachePlan plan = AppcachePlanFromJson(log.header.plan);
  StudyReport report;
  report.text = fmt::format(
      "The application's own cache against the kernel's, over every file of a tree\n"
      "  tree     {} files, {:.1f} MiB\n  search   for '{}'\n",
      plan.files, static_cast<double>(plan.bytes) / kMib, plan.pattern);
  report.text += DescribeStudy(log) + "\n" + ToText(PassTable(log, plan)) + "\n";
  const CellView kernel(log, kKernelCell);
  const CellView application(log, kApplicationCell);
  if (!kernel.empty() && !application.empty()) {
    report.text += fmt::format(
        "Opens and closes of a pass: kernel {:.0f} and {:.0f}, application {:.0f} and {:.0f}.\n",
        kernel.Median("opens"), kernel.Median("closes"), application.Median("opens"),
        application.Median("closes"));
  }
  report.text +=
      "/dev/null does not look at what is written to it: the pass 'application' moves no byte, "
      "the\n"
      "others do, but for 'mmap', which touches none.\n\n" +
      ToText(AppcachePublishedTable(log)) + "\n" + DescribePool(log) + "\n" +
      ToText(ShortTable(log, plan)) +
      "\nAfter as many accesses as are counted. hits: files found; limit used: file bytes in "
      "memory\n"
      "at the end, of the limit. A cyclic scan of more than fits never hits with LRU.\n" +
      DescribeFailures(log);
  report.table = AppcacheFigureTable(log);
  report.json = StudyJson(log);
  Json cells = Json::object();
  for (const std::vector<std::string>& row : report.table.rows) {
    cells[row[0]][row[1]] = {{"n", std::stoi(row[2])},
                             {"median", std::strtod(row[3].c_str(), nullptr)},
                             {"min", std::strtod(row[4].c_str(), nullptr)},
                             {"max", std::strtod(row[5].c_str(), nullptr)}};
  }
  report.json["figures"] = cells;
  const std::optional<double> ratio = Ratio(log, kKernelCell, kApplicationCell);
  report.json["kernel_over_application"] = ratio ? Json(*ratio) : Json(nullptr);
  report.json["published"] = {{"kernel_ms", kPublishedKernelMs},
                              {"application_ms", kPublishedApplicationMs}};
  report.figures = {PassFigure(log), HitFigure(log, plan)};
  return report;
}

}  // namespace mr::lab
