#include "lab/compare/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/size.h"
#include "lab/analysis/conclusion.h"
#include "lab/compare/stage.h"
#include "lab/report/report_parts.h"

namespace mr::lab {
namespace {

std::string Seconds(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string Span(const Interval& interval) {
  return fmt::format("{:.3f} .. {:.3f}", interval.low, interval.high);
}

// "1.27 (1.25 .. 1.30)"; what was seen, with an asterisk, where there is no interval.
std::string RatioText(const std::optional<PairedRatio>& ratio, bool is_first) {
  if (is_first) return "1";
  if (!ratio) return "-";
  return ratio->interval ? fmt::format("{:.3f} ({})", ratio->ratio, Span(*ratio->interval))
                         : fmt::format("{:.3f} ({})*", ratio->ratio, Span(ratio->range));
}

std::string PlaceLines(const CompareHeader& header) {
  const Json& systems = header.environment.value("places", Json::array());
  std::string text;
  for (std::size_t i = 0; i < header.plan.places.size(); ++i) {
    const ComparePlace& place = header.plan.places[i];
    const Json system = i < systems.size() ? systems[i] : Json::object();
    text += fmt::format("  place    {}: {}, {} of {}, {}", place.name, place.data, place.type,
                        system.value("source", "?"), system.value("mount_options", "?"));
    if (system.contains("read_ahead_kib")) {
      text += fmt::format(", read-ahead {} KiB", system.value("read_ahead_kib", std::uint64_t{0}));
    }
    text += "\n";
    if (LivesInMemory(place.type)) {
      text += "           lives in memory: it has no cold start\n";
    } else if (!place.backing.empty()) {
      text += fmt::format("           served from {} of this machine: cold is cold there too\n",
                          place.backing);
    } else if (HasCacheBehind(place.type)) {
      text +=
          "           what its server caches cannot be seen from here: cold is about this "
          "machine\n";
    }
  }
  return text;
}

std::string Notes(const CompareLog& log, const CompareReport& report) {
  const ComparePlan& plan = log.header.plan;
  std::string text;
  if (report.observed < report.planned) {
    text += fmt::format("Not complete: {} of {} trials are in the log.\n", report.observed,
                        report.planned);
  }
  if (log.cut) text += "The log is cut in the middle of its last line, which was dropped.\n";
  if (!report.excluded.empty()) {
    text += fmt::format("{} of {} trials do not count:\n", report.excluded.size(), report.observed);
    for (const CompareObservation& row : report.excluded) {
      text += fmt::format("  trial {} (block {}, {} {} at {}): {}: {}\n", row.trial.index + 1,
                          row.trial.block + 1, CacheStartName(row.trial.start),
                          plan.arms[row.trial.arm].name, plan.places[row.trial.place].name,
                          OutcomeName(row.row.outcome), row.row.reason);
    }
  }
  for (const std::string& warning : log.header.warnings) text += "Mind: " + warning + ".\n";
  return text;
}

std::string Footnotes(const CompareReport& report) {
  std::string text =
      "real: median of n trials in seconds, with its 95 % bootstrap interval over blocks, and the\n"
      "least; user, sys: medians; fetched: median of what came from the server or from storage;\n"
      "/NAME: ratio of the real times, within blocks, to the first place or to the first arm.\n";
  const auto no_interval = [](const std::optional<PairedRatio>& ratio) {
    return ratio && !ratio->interval;
  };
  for (const CompareCell& cell : report.cells) {
    if (no_interval(cell.against_first_place) || no_interval(cell.against_first_arm)) {
      return text +
             "* fewer than 6 blocks: the range of what was seen, for no 95 % interval exists.\n";
    }
  }
  return text;
}

// One comparison in words.
std::string Clause(const PairedRatio& ratio) {
  if (ratio.effect) {
    return fmt::format(
        "takes {} time (95 % interval {} to {}, {})", ChangeInWords(ratio.ratio),
        ChangeInWords(ratio.interval->low), ChangeInWords(ratio.interval->high),
        ratio.adjusted_p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", ratio.adjusted_p));
  }
  if (!ratio.smallest_detectable) return "no effect on time found";
  return fmt::format("no effect on time found, smallest detectable: {:.1f} %",
                     *ratio.smallest_detectable * 100);
}

std::string TextParts(const CompareLog& log, const CompareReport& report, bool markdown) {
  const ComparePlan& plan = log.header.plan;
  const auto table = [markdown](const Table& cells) {
    return markdown ? ToMarkdown(cells) : ToText(cells);
  };
  const auto verbatim = [markdown](const std::string& text) {
    return markdown ? fmt::format("```\n{}```\n", text) : text;
  };
  std::string text = verbatim(DescribeComparison(log, report)) + "\n" +
                     table(PlaceTable(plan, report)) + (markdown ? "\n" : "") + Footnotes(report);
  if (const Table nfs = NfsTable(plan, report); !nfs.rows.empty()) {
    text += "\nWhat the NFS client asked for in one run (medians; times are of one READ)\n" +
            std::string(markdown ? "\n" : "") + table(nfs);
  }
  text += "\n";
  for (const std::string& sentence : ConcludeComparison(plan, report)) {
    text += (markdown ? "- " : "") + sentence + "\n";
  }
  const std::string notes = Notes(log, report);
  return notes.empty() ? text : text + "\n" + verbatim(notes);
}

}  // namespace

std::string DescribeComparison(const CompareLog& log, const CompareReport& report) {
  const CompareHeader& header = log.header;
  const ComparePlan& plan = header.plan;
  std::string text = fmt::format("mrbench compare, {}\n", header.started);
  text += fmt::format(
      "  data     {}, {} bytes{}, XXH128 {} at every place\n", plan.source, plan.data_bytes,
      plan.files == 1 ? "" : fmt::format(" in {} files", plan.files), plan.checksum);
  text += fmt::format("  pattern  {}", plan.pattern);
  if (header.truth.matches) {
    text += fmt::format(" ({} matching lines, by {})", *header.truth.matches, header.truth.source);
  }
  text += "\n" + PlaceLines(header) + ArmLines(header.plan.arms, header.environment);
  text += fmt::format("  order    {} blocks, seed {}: {} of {} trials, {} of them count\n",
                      plan.blocks, plan.seed, report.observed, report.planned,
                      report.observed - static_cast<int>(report.excluded.size()));
  const Json& machine = header.environment.value("machine", Json::object());
  text += fmt::format(
      "  machine  Linux {}, {} CPUs ({}), {} of memory\n", machine.value("kernel", "?"),
      machine.value("cpus", 0), machine.value("cpu_model", "?"),
      io::RoughSize(static_cast<double>(machine.value("memory_bytes", std::uint64_t{0}))));
  return text;
}

Table PlaceTable(const ComparePlan& plan, const CompareReport& report) {
  Table table{
      .header = {"start", "arm", "place", "n", "real", "95 % interval", "min", "user", "sys",
                 "fetched", "/" + plan.places.front().name, "/" + plan.arms.front().name},
      .rows = {},
      .word_columns = 3};
  for (const CompareCell& cell : report.cells) {
    std::vector<std::string> row = {std::string(CacheStartName(cell.start)),
                                    plan.arms[cell.arm].name, plan.places[cell.place].name,
                                    fmt::to_string(cell.observations.size())};
    if (cell.real) {
      const bool first_place_is_there = cell.place == 0 || cell.against_first_place.has_value();
      row.insert(row.end(),
                 {Seconds(cell.real->median), Span(cell.real->interval), Seconds(cell.real->min),
                  Seconds(cell.user->median), Seconds(cell.system->median),
                  io::RoughSize(*cell.fetched_bytes),
                  first_place_is_there ? RatioText(cell.against_first_place, cell.place == 0) : "-",
                  RatioText(cell.against_first_arm, cell.arm == 0)});
    }
    row.resize(table.header.size(), "-");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table NfsTable(const ComparePlan& plan, const CompareReport& report) {
  Table table{.header = {"start", "arm", "place", "READs", "bytes", "rtt ms", "with queue ms",
                         "other calls", "resent"},
              .rows = {},
              .word_columns = 3};
  const auto milliseconds = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
  };
  for (const CompareCell& cell : report.cells) {
    if (!cell.nfs) continue;
    const NfsSummary& nfs = *cell.nfs;
    table.rows.push_back({std::string(CacheStartName(cell.start)), plan.arms[cell.arm].name,
                          plan.places[cell.place].name, fmt::format("{:.0f}", nfs.read_calls),
                          io::RoughSize(nfs.server_read_bytes), milliseconds(nfs.read_rtt_ms),
                          milliseconds(nfs.read_execute_ms), fmt::format("{:.0f}", nfs.other_calls),
                          fmt::format("{:.0f}", nfs.resent)});
  }
  return table;
}

std::vector<std::string> ConcludeComparison(const ComparePlan& plan, const CompareReport& report) {
  int most_blocks = 0;
  std::vector<std::string> sentences;
  for (const CompareCell& cell : report.cells) {
    const std::string what = fmt::format("{} start", CacheStartName(cell.start));
    const std::string& arm = plan.arms[cell.arm].name;
    const std::string& place = plan.places[cell.place].name;
    for (const auto* ratio : {&cell.against_first_place, &cell.against_first_arm}) {
      if (!*ratio) continue;
      most_blocks = std::max(most_blocks, (*ratio)->blocks);
      if ((*ratio)->blocks < kBlocksForClaim) continue;
      sentences.push_back(ratio == &cell.against_first_place
                              ? fmt::format("{}, {}: {} against {} {}.", what, arm, place,
                                            plan.places.front().name, Clause(**ratio))
                              : fmt::format("{}, at {}: {} against {} {}.", what, place, arm,
                                            plan.arms.front().name, Clause(**ratio)));
    }
  }
  if (most_blocks < kBlocksForClaim) {
    return {
        fmt::format("No conclusion from {} complete block{}: at least {} are needed for a claim.",
                    most_blocks, most_blocks == 1 ? "" : "s", kBlocksForClaim)};
  }
  return sentences;
}

std::string FormatComparison(ReportFormat format, const CompareLog& log,
                             const CompareReport& report) {
  const ComparePlan& plan = log.header.plan;
  switch (format) {
    case ReportFormat::kText:
      return TextParts(log, report, false);
    case ReportFormat::kMarkdown:
      return TextParts(log, report, true);
    case ReportFormat::kCsv:
      return ToCsv(ComparisonFigures(plan, report));
    case ReportFormat::kJson:
      break;
  }
  return ComparisonJson(log, report).dump(2) + "\n";
}

}  // namespace mr::lab
