// What a sweep showed, beside what was published in 2000.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>

#include "io/size.h"
#include "lab/data/random.h"
#include "lab/report/gnuplot.h"
#include "lab/studies/sweep.h"

namespace mr::lab {
namespace {

constexpr double kPublishedCrossoverBytes = 32 * 1024;
constexpr double kPublishedKneeBytes = 128 * 1024;
constexpr int kCrossoverResamples = 2000;

// What one load costs at one size: a value for each round that has both cells.
struct LoadCost {
  std::vector<int> rounds;
  std::vector<double> cpu_ns;
  std::vector<double> faults;
  double user_ns = 0;  // means over rounds
  double system_ns = 0;
  double processing_ns = 0;
};

std::map<int, const StudyRow*> ByRound(const StudyLog& log, const std::string& cell) {
  std::map<int, const StudyRow*> rows;
  const CellView view(log, cell);
  for (const StudyRow* row : view.rows()) rows[row->round] = row;
  return rows;
}

double Figure(const StudyRow& row, std::string_view name) {
  const auto found = row.figures.find(name);
  if (found == row.figures.end()) throw RecordError(fmt::format("a trial without {}", name));
  return found->second;
}

LoadCost CostOf(const StudyLog& log, const std::string& reader, std::uint64_t size) {
  LoadCost cost;
  const auto kept = ByRound(log, SweepCell(reader, false, size));
  const auto purged = ByRound(log, SweepCell(reader, true, size));
  for (const auto& [round, row] : purged) {
    const auto found = kept.find(round);
    if (found == kept.end()) continue;
    const StudyRow& nopurge = *found->second;
    const StudyRow& purge = *row;
    const double repeats = Figure(purge, "repeats");
    const double loads = std::max(repeats - 1, 1.0);
    const auto per_load = [&](const char* name) {
      return (Figure(purge, name) - Figure(nopurge, name)) / loads;
    };
    cost.rounds.push_back(round);
    cost.cpu_ns.push_back(per_load("cpu_ns"));
    cost.faults.push_back(per_load("minor_faults"));
    cost.user_ns += per_load("user_us") * 1000;
    cost.system_ns += per_load("system_us") * 1000;
    cost.processing_ns += Figure(nopurge, "cpu_ns") / repeats;
  }
  if (!cost.rounds.empty()) {
    const auto rounds = static_cast<double>(cost.rounds.size());
    cost.user_ns /= rounds;
    cost.system_ns /= rounds;
    cost.processing_ns /= rounds;
  }
  return cost;
}

struct SweepFindings {
  SweepPlan plan;
  std::vector<std::vector<LoadCost>> costs;  // by reader, then size

  // Nothing when the reader or the size is not there, or was not measured.
  const LoadCost* Cost(std::string_view reader, std::uint64_t size) const {
    const auto found = std::find(plan.readers.begin(), plan.readers.end(), reader);
    const auto at = std::find(plan.sizes.begin(), plan.sizes.end(), size);
    if (found == plan.readers.end() || at == plan.sizes.end()) return nullptr;
    const LoadCost& cost = costs[static_cast<std::size_t>(found - plan.readers.begin())]
                                [static_cast<std::size_t>(at - plan.sizes.begin())];
    return cost.rounds.empty() ? nullptr : &cost;
  }
};

SweepFindings Analyze(const StudyLog& log) {
  SweepFindings findings{.plan = SweepPlanFromJson(log.header.plan), .costs = {}};
  for (const std::string& reader : findings.plan.readers) {
    std::vector<LoadCost>& costs = findings.costs.emplace_back();
    for (const std::uint64_t size : findings.plan.sizes) costs.push_back(CostOf(log, reader, size));
  }
  return findings;
}

// The crossover of read and mmap, and where resampled rounds put it.
struct CrossoverEstimate {
  Crossover found;
  int rounds = 0;
  std::optional<Interval> interval;  // of those resamples that have one
  double always_read = 0;            // share of resamples in which read stays the cheaper
  double always_mmap = 0;
};

std::optional<CrossoverEstimate> EstimateCrossover(const SweepFindings& findings) {
  std::vector<double> sizes;
  std::vector<const LoadCost*> read;
  std::vector<const LoadCost*> mmap;
  std::size_t rounds = 0;
  for (const std::uint64_t size : findings.plan.sizes) {
    const LoadCost* const a = findings.Cost("read", size);
    const LoadCost* const b = findings.Cost("mmap", size);
    if (a == nullptr || b == nullptr) continue;
    const std::size_t both = std::min(a->rounds.size(), b->rounds.size());
    rounds = sizes.empty() ? both : std::min(rounds, both);
    sizes.push_back(static_cast<double>(size));
    read.push_back(a);
    mmap.push_back(b);
  }
  if (sizes.size() < 2) return std::nullopt;
  const auto cross = [&](const std::vector<std::size_t>& chosen) {
    const auto medians = [&](const std::vector<const LoadCost*>& costs) {
      std::vector<double> result;
      std::vector<double> values(chosen.size());
      for (const LoadCost* cost : costs) {
        for (std::size_t i = 0; i < chosen.size(); ++i) values[i] = cost->cpu_ns[chosen[i]];
        result.push_back(Median(values));
      }
      return result;
    };
    return FindCrossover(sizes, medians(read), medians(mmap));
  };
  std::vector<std::size_t> chosen(rounds);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  CrossoverEstimate estimate{.found = cross(chosen),
                             .rounds = static_cast<int>(rounds),
                             .interval = {},
                             .always_read = 0,
                             .always_mmap = 0};
  Random random(1);
  std::vector<double> found;
  for (int resample = 0; resample < kCrossoverResamples; ++resample) {
    for (std::size_t& round : chosen) round = random.Below(rounds);
    const Crossover crossover = cross(chosen);
    if (crossover.size_bytes) {
      found.push_back(*crossover.size_bytes);
    } else {
      (crossover.always == "read" ? estimate.always_read : estimate.always_mmap) +=
          1.0 / kCrossoverResamples;
    }
  }
  if (!found.empty()) estimate.interval = {Quantile(found, 0.025), Quantile(found, 0.975)};
  return estimate;
}

std::string Kib(double bytes) { return fmt::format("{:.1f} KiB", bytes / 1024); }

std::string InWords(const CrossoverEstimate& estimate, const SweepPlan& plan) {
  if (!estimate.found.size_bytes) {
    return fmt::format("nowhere from {} to {}: {} is cheaper at the end of the range",
                       io::FormatSize(plan.sizes.front()), io::FormatSize(plan.sizes.back()),
                       estimate.found.always);
  }
  std::string text = Kib(*estimate.found.size_bytes);
  if (estimate.interval) {
    text +=
        fmt::format(" (95 %: {} .. {})", Kib(estimate.interval->low), Kib(estimate.interval->high));
  }
  if (estimate.always_read + estimate.always_mmap > 0.005) {
    text += fmt::format("; in {:.0f} % of resamples nowhere",
                        100 * (estimate.always_read + estimate.always_mmap));
  }
  return text;
}

// Calls `row` for every load that was measured.
void ForEachLoad(const SweepFindings& findings,
                 const std::function<void(std::uint64_t size, const std::string& reader,
                                          const LoadCost& cost, const Estimate& cpu)>& row) {
  for (const std::uint64_t size : findings.plan.sizes) {
    for (const std::string& reader : findings.plan.readers) {
      const LoadCost* const cost = findings.Cost(reader, size);
      if (cost != nullptr) row(size, reader, *cost, EstimateOf(cost->cpu_ns));
    }
  }
}

Table CostTable(const SweepFindings& findings) {
  Table table{.header = {"size", "by", "n", "us per load", "95 % interval", "user", "system",
                         "faults", "GB/s", "work us"},
              .rows = {},
              .word_columns = 2};
  ForEachLoad(findings, [&](std::uint64_t size, const std::string& reader, const LoadCost& cost,
                            const Estimate& cpu) {
    table.rows.push_back(
        {io::FormatSize(size), reader, fmt::to_string(cost.rounds.size()),
         fmt::format("{:.3f}", cpu.median / 1000),
         fmt::format("{:.3f} .. {:.3f}", cpu.interval.low / 1000, cpu.interval.high / 1000),
         fmt::format("{:.2f}", cost.user_ns / 1000), fmt::format("{:.2f}", cost.system_ns / 1000),
         fmt::format("{:.1f}", Median(cost.faults)),
         cpu.median > 0 ? fmt::format("{:.2f}", static_cast<double>(size) / cpu.median) : "-",
         fmt::format("{:.2f}", cost.processing_ns / 1000)});
  });
  return table;
}

Table SweepFigureTable(const SweepFindings& findings) {
  Table table{.header = {"size_bytes", "reader", "rounds", "load_cpu_ns_median", "load_cpu_ns_low",
                         "load_cpu_ns_high", "load_cpu_ns_min", "load_user_ns_mean",
                         "load_system_ns_mean", "load_faults_median", "processing_cpu_ns_mean"},
              .rows = {},
              .word_columns = 2};
  ForEachLoad(findings, [&](std::uint64_t size, const std::string& reader, const LoadCost& cost,
                            const Estimate& cpu) {
    std::vector<std::string> row = {fmt::to_string(size), reader,
                                    fmt::to_string(cost.rounds.size())};
    for (const double value :
         {cpu.median, cpu.interval.low, cpu.interval.high, cpu.min, cost.user_ns, cost.system_ns,
          Median(cost.faults), cost.processing_ns}) {
      row.push_back(fmt::to_string(value));
    }
    table.rows.push_back(std::move(row));
  });
  return table;
}

// How many times as much a load of `to` bytes costs as one of `from` bytes.
std::string Growth(const SweepFindings& findings, std::string_view reader, std::uint64_t from,
                   std::uint64_t to) {
  const LoadCost* const small = findings.Cost(reader, from);
  const LoadCost* const large = findings.Cost(reader, to);
  if (small == nullptr || large == nullptr) return "not measured";
  const double ratio = Median(large->cpu_ns) / Median(small->cpu_ns);
  return fmt::format("{} to {}: {:.2f} times", io::FormatSize(from), io::FormatSize(to), ratio);
}

// Share of all CPU time with purging that loading takes.
std::string LoadShare(const SweepFindings& findings) {
  double loads = 0;
  double all = 0;
  for (const char* reader : {"read", "mmap"}) {
    for (const std::uint64_t size : findings.plan.sizes) {
      const LoadCost* const cost = findings.Cost(reader, size);
      if (cost == nullptr) continue;
      const double load = std::max(Median(cost->cpu_ns), 0.0);
      loads += load;
      all += load + cost->processing_ns;
    }
  }
  return all > 0 ? fmt::format("{:.0f} % of the CPU time", 100 * loads / all) : "not measured";
}

Table SweepPublishedTable(const SweepFindings& findings,
                          const std::optional<CrossoverEstimate>& crossover) {
  constexpr std::uint64_t kKib = 1024;
  Table table{
      .header = {"", "2000: PIII 500 MHz, Linux 2.2", "here"}, .rows = {}, .word_columns = 3};
  table.rows = {
      {"loading, in all", "one minute of an hour: 2 %", LoadShare(findings)},
      {"read is dearer than mmap from", "about 32 KiB",
       crossover ? InWords(*crossover, findings.plan) : "not measured"},
      {"read grows", "in proportion to size",
       Growth(findings, "read", 16 * kKib, 128 * kKib) + " (8 is in proportion)"},
      {"mmap grows", "not at all up to 128 KiB", Growth(findings, "mmap", 4 * kKib, 128 * kKib)},
      {"above 128 KiB", "everything rises, system time of read most",
       "read " + Growth(findings, "read", 128 * kKib, 1024 * kKib) + ", mmap " +
           Growth(findings, "mmap", 128 * kKib, 1024 * kKib) + " (8 is in proportion)"}};
  return table;
}

StudyFigure LoadFigure(const SweepFindings& findings) {
  // What noise made zero or less has no place on a logarithmic axis but its edge.
  const auto microseconds = [](double ns) { return std::max(ns / 1000, 0.001); };
  Plot plot;
  for (const std::string& reader : findings.plan.readers) {
    std::string points;
    for (const std::uint64_t size : findings.plan.sizes) {
      const LoadCost* const cost = findings.Cost(reader, size);
      if (cost == nullptr) continue;
      const Estimate cpu = EstimateOf(cost->cpu_ns);
      points +=
          fmt::format("{} {} {} {}\n", static_cast<double>(size) / 1024, microseconds(cpu.median),
                      microseconds(cpu.interval.low), microseconds(cpu.interval.high));
    }
    plot.Add(points, "using 1:2:3:4 with yerrorlines", reader);
  }
  const std::string settings = fmt::format(
      "set title 'CPU time of one load'\nset logscale x 2\nset logscale y 10\n"
      "set xlabel 'file size (KiB)'\nset ylabel 'microseconds (median, 95 % interval)'\n"
      "set key left top\nset grid\n"
      "set arrow from {0},graph 0 to {0},graph 1 nohead dt 2 lc 'gray'\n"
      "set label '2000: read dearer from here' at {0},graph 0.04 offset 1,0 tc 'gray'\n",
      kPublishedCrossoverBytes / 1024);
  return {.name = "sweep", .script = plot.Script(settings)};
}

Json CrossoverJson(const std::optional<CrossoverEstimate>& crossover) {
  if (!crossover) return nullptr;
  const auto& [found, rounds, interval, always_read, always_mmap] = *crossover;
  return {{"bytes", found.size_bytes ? Json(*found.size_bytes) : Json(nullptr)},
          {"interval", interval ? Json::array({interval->low, interval->high}) : Json(nullptr)},
          {"cheaper_at_the_end", found.always.empty() ? Json("mmap") : Json(found.always)},
          {"rounds", rounds},
          {"share_of_resamples_read_always_cheaper", always_read},
          {"share_of_resamples_mmap_always_cheaper", always_mmap}};
}

std::string DescribePlan(const SweepPlan& plan) {
  std::string text = fmt::format(
      "  files    {} sizes from {} to {}, one content repeated\n"
      "  work     {}{}, {} times per file\n",
      plan.sizes.size(), io::FormatSize(plan.sizes.front()), io::FormatSize(plan.sizes.back()),
      WorkName(plan.work), plan.work == WorkKind::kSearch ? " for '" + plan.pattern + "'" : "",
      plan.repeats);
  const int least = plan.RepeatsFor(plan.sizes.back());
  if (least < plan.repeats) {
    text += fmt::format(
        "           (fewer for large files, {} for the largest; times are scaled)\n", least);
  }
  return text + fmt::format("  buffers  {}\n", SweepBuffersName(plan.buffers));
}

}  // namespace

std::optional<Raw> SweepRaw(const StudyLog& log) {
  const SweepPlan plan = SweepPlanFromJson(log.header.plan);
  Raw raw;
  for (const std::uint64_t size : plan.sizes) {
    for (const auto& [reader, first] :
         {std::pair{"read", kReadNopurge}, std::pair{"mmap", kMmapNopurge}}) {
      const CellView kept(log, SweepCell(reader, false, size));
      const CellView purged(log, SweepCell(reader, true, size));
      if (kept.empty() || purged.empty()) return std::nullopt;
      const double repeats = plan.RepeatsFor(size);
      const double more_processing = plan.repeats / repeats;
      const double more_loads = repeats > 1 ? (plan.repeats - 1) / (repeats - 1) : 1;
      SweepPoint without{.size_bytes = static_cast<double>(size),
                         .user_s = kept.Mean("user_us") * 1e-6 * more_processing,
                         .system_s = kept.Mean("system_us") * 1e-6 * more_processing};
      SweepPoint with = without;
      with.user_s += (purged.Mean("user_us") - kept.Mean("user_us")) * 1e-6 * more_loads;
      with.system_s += (purged.Mean("system_us") - kept.Mean("system_us")) * 1e-6 * more_loads;
      with.user_s = std::max(with.user_s, 0.0);
      with.system_s = std::max(with.system_s, 0.0);
      raw[first].push_back(without);
      raw[first == kReadNopurge ? kReadPurge : kMmapPurge].push_back(with);
    }
  }
  return raw;
}

StudyReport ReportSweep(const StudyLog& log, double clip_s) {
  const SweepFindings findings = Analyze(log);
  const std::optional<CrossoverEstimate> crossover = EstimateCrossover(findings);
  StudyReport report;
  report.text =
      "What loading a file once more costs, by size\n" + DescribePlan(findings.plan) +
      DescribeStudy(log) + "\n" + ToText(CostTable(findings)) +
      "\nus per load: CPU time that loading and releasing the file adds to one processing "
      "of it,\nmedian of n rounds with its 95 % bootstrap interval. user, system: means, "
      "split by clock\nticks, so only their sum is exact. work: the processing itself.\n\n" +
      ToText(SweepPublishedTable(findings, crossover)) + "\n" + DescribeFailures(log);
  report.table = SweepFigureTable(findings);
  report.json = StudyJson(log);
  report.json["crossover"] = CrossoverJson(crossover);
  Json cells = Json::array();
  for (const std::vector<std::string>& row : report.table.rows) {
    Json cell = {{"size_bytes", std::stoull(row[0])}, {"reader", row[1]}};
    for (std::size_t i = 2; i < row.size(); ++i) {
      cell[report.table.header[i]] = std::strtod(row[i].c_str(), nullptr);
    }
    cells.push_back(std::move(cell));
  }
  report.json["loads"] = cells;
  report.json["published"] = {{"crossover_bytes", kPublishedCrossoverBytes},
                              {"mmap_constant_up_to_bytes", kPublishedKneeBytes}};
  report.figures.push_back(LoadFigure(findings));
  if (const std::optional<Raw> raw = SweepRaw(log)) {
    const Crunched crunched = Crunch(FormatRaw(*raw));
    report.figures.push_back(CrunchFigure(crunched, std::nullopt));
    report.figures.push_back(CrunchFigure(crunched, clip_s));
  }
  return report;
}

}  // namespace mr::lab
