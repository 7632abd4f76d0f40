#include "lab/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/size.h"
#include "lab/analysis/conclusion.h"
#include "lab/report/report_parts.h"
#include "lab/trial/neighbours.h"

namespace mr::lab {
namespace {

std::string Span(const Interval& interval, int decimals) {
  return fmt::format("{:.{}f} .. {:.{}f}", interval.low, decimals, interval.high, decimals);
}

// Too few blocks for an interval: what was seen, marked as that.
std::string RatioSpan(const CarryOver& carry_over) {
  return carry_over.interval ? Span(*carry_over.interval, 3) : Span(carry_over.range, 3) + " *";
}

std::string PText(const CarryOver& carry_over) {
  return carry_over.adjusted_p < 0.001 ? "<0.001" : fmt::format("{:.3f}", carry_over.adjusted_p);
}

std::vector<std::string> PairRow(const Plan& plan, const Cell& cell) {
  std::vector<std::string> row = {CellLabel(plan, cell), CellTitle(plan, cell),
                                  fmt::to_string(cell.observations.size())};
  if (!cell.real) {
    row.resize(10, "-");
    return row;
  }
  std::string ratio = "-";
  if (cell.first == cell.second) ratio = "1";
  if (cell.real_carry_over) ratio = fmt::format("{:.3f}", cell.real_carry_over->ratio);
  row.insert(
      row.end(),
      {fmt::format("{:.3f}", cell.real->median), Span(cell.real->interval, 3),
       fmt::format("{:.3f}", cell.real->min), fmt::format("{:.3f}", cell.user->median),
       fmt::format("{:.3f}", cell.system->median), io::RoughSize(cell.disk_bytes->median), ratio});
  return row;
}

std::string MachineLine(const Json& environment) {
  const Json& machine = environment.value("machine", Json::object());
  const Json& files = environment.value("file_system", Json::object());
  std::string text = fmt::format(
      "  machine  Linux {}, {} CPUs ({}), {} of memory\n", machine.value("kernel", "?"),
      machine.value("cpus", 0), machine.value("cpu_model", "?"),
      io::RoughSize(static_cast<double>(machine.value("memory_bytes", std::uint64_t{0}))));
  text += fmt::format("           {} on {}, {}", files.value("type", "?"),
                      files.value("source", "?"), files.value("mount_options", "?"));
  if (files.contains("read_ahead_kib")) {
    text += fmt::format(", read-ahead {} KiB", files.value("read_ahead_kib", std::uint64_t{0}));
  }
  return text + "\n";
}

std::string LimitLines(const Plan& plan) {
  std::string text = "  memory   ";
  if (plan.memory_bytes) {
    text +=
        fmt::format("{} (control group), the data is {:.2f} times that\n",
                    io::RoughSize(static_cast<double>(*plan.memory_bytes)),
                    static_cast<double>(plan.file_bytes) / static_cast<double>(*plan.memory_bytes));
  } else {
    text += "the machine's\n";
  }
  if (plan.disk_bytes_per_second) {
    text += fmt::format("  disk     throttled to {}/s\n",
                        io::RoughSize(static_cast<double>(*plan.disk_bytes_per_second)));
  }
  return text;
}

std::string ExcludedLines(const Plan& plan, const Report& report) {
  std::string text;
  for (const Observation& row : report.excluded) {
    text += fmt::format(
        "  trial {} (block {}, {}{}): {}: {}\n", row.trial.index + 1, row.trial.block + 1,
        plan.arms[row.trial.arm].name,
        row.trial.previous ? " after " + plan.arms[*row.trial.previous].name : " after eviction",
        OutcomeName(row.outcome), row.reason);
  }
  return text;
}

std::string Notes(const LogContents& log, const Report& report) {
  std::string text;
  if (report.observed < report.planned) {
    text += fmt::format("Not complete: {} of {} trials are in the log.\n", report.observed,
                        report.planned);
  }
  if (log.cut) text += "The log is cut in the middle of its last line, which was dropped.\n";
  if (report.superseded > 0) {
    text += fmt::format("{} trials of interrupted units were run again and do not count.\n",
                        report.superseded);
  }
  if (!report.excluded.empty()) {
    text += fmt::format("{} of {} trials do not count:\n", report.excluded.size(), report.observed);
    text += ExcludedLines(log.header.plan, report);
  }
  for (const std::string& doubt : FindDoubts(log, report)) text += "Mind: " + doubt + ".\n";
  return text;
}

std::string ConclusionLines(const Plan& plan, const Report& report, std::string_view bullet) {
  std::string text;
  for (const std::string& sentence : Conclude(plan, report)) {
    text += fmt::format("{}{}\n", bullet, sentence);
  }
  return text;
}

std::string TextReport(const LogContents& log, const Report& report) {
  const Plan& plan = log.header.plan;
  std::string text = DescribeRun(log, report) + "\n" + ListTrials(plan, report) + "\n" +
                     ToText(PairTable(plan, report)) + Footnotes(report) + "\n";
  if (plan.arms.size() > 1) {
    text += "Carry-over: the second arm after the first, against the second arm after itself\n" +
            ToText(CarryOverTable(plan, report)) + "\n";
  }
  text += ConclusionLines(plan, report, "");
  const std::string notes = Notes(log, report);
  return notes.empty() ? text : text + "\n" + notes;
}

std::string MarkdownReport(const LogContents& log, const Report& report) {
  const Plan& plan = log.header.plan;
  std::string text = fmt::format("```\n{}```\n\n{}\n{}\n", DescribeRun(log, report),
                                 ToMarkdown(PairTable(plan, report)), Footnotes(report));
  if (plan.arms.size() > 1) text += ToMarkdown(CarryOverTable(plan, report)) + "\n";
  text += ConclusionLines(plan, report, "- ");
  const std::string notes = Notes(log, report);
  if (!notes.empty()) text += fmt::format("\n```\n{}```\n", notes);
  return text + fmt::format("\n```\n{}```\n", ListTrials(plan, report));
}

}  // namespace

std::string CellTitle(const Plan& plan, const Cell& cell) {
  const std::string& second = plan.arms[cell.second].name;
  if (!cell.first) return "evicted, then " + second;
  return fmt::format("{} followed by {}", plan.arms[*cell.first].name, second);
}

std::string CellLabel(const Plan& plan, const Cell& cell) {
  if (cell.first) return PairLabel(plan, *cell.first, cell.second);
  const std::string twice = PairLabel(plan, cell.second, cell.second);
  return "-" + twice.substr(twice.size() / 2 + twice.size() % 2);
}

std::string Footnotes(const Report& report) {
  std::string text =
      "real: median of n trials in seconds, with its 95 % bootstrap interval over blocks, and the\n"
      "least; user, sys: medians; disk: median of what the process fetched from storage;\n"
      "ratio: real time of the second arm, against the second arm after itself.\n";
  for (const Cell& cell : report.pairs) {
    if (cell.real_carry_over && !cell.real_carry_over->interval) {
      return text +
             "* fewer than 6 blocks: the range of what was seen, for no 95 % interval exists.\n";
    }
  }
  return text;
}

std::vector<std::string> FindDoubts(const LogContents& log, const Report& report) {
  std::vector<std::string> doubts = log.header.warnings;
  std::vector<Observation> rows = report.excluded;
  for (const auto* cells : {&report.pairs, &report.lead_ins}) {
    for (const Cell& cell : *cells) {
      rows.insert(rows.end(), cell.observations.begin(), cell.observations.end());
    }
  }
  for (std::string& sentence : FindDisturbances(log.header.plan.file_bytes, rows)) {
    doubts.push_back(std::move(sentence));
  }
  return doubts;
}

std::string DescribeExcluded(const LogContents& log, const Report& report) {
  std::string text = ExcludedLines(log.header.plan, report);
  for (const LogEvent& event : log.events) {
    text += fmt::format("{} {}{}{}\n", event.time, event.name, event.text.empty() ? "" : ": ",
                        event.text);
  }
  return text.empty() ? "none\n" : text;
}

std::string DescribeRun(const LogContents& log, const Report& report) {
  const Plan& plan = log.header.plan;
  std::string text = fmt::format("mrbench pairs, {}\n", log.header.started);
  text += fmt::format("  data     {}, {} bytes\n", plan.file, plan.file_bytes);
  text += fmt::format("  pattern  {}", plan.pattern);
  if (log.header.truth.matches) {
    text += fmt::format(" ({} matching lines, by {})", *log.header.truth.matches,
                        log.header.truth.source);
  }
  text += "\n" + LimitLines(plan) + ArmLines(log.header.plan.arms, log.header.environment);
  text += fmt::format("  design   {}, {} blocks, seed {}: {} of {} trials, {} of them count\n",
                      DesignName(plan.design), plan.blocks, plan.seed, report.observed,
                      report.planned, report.observed - static_cast<int>(report.excluded.size()));
  return text + MachineLine(log.header.environment);
}

std::string ListTrials(const Plan& plan, const Report& report) {
  std::string text;
  const auto append = [&](const Cell& cell) {
    if (cell.observations.empty() && cell.excluded == 0) return;
    if (!text.empty()) text += "\n";
    text += CellTitle(plan, cell) + ":\n";
    std::vector<std::pair<double, std::string>> lines;
    for (std::size_t i = 0; i < cell.observations.size(); ++i) {
      const Observation& row = cell.observations[i];
      const double real = std::chrono::duration<double>(row.real).count();
      lines.emplace_back(
          real, fmt::format("{} {:9.2f} real {:12.2f} user {:12.2f} sys{}\n", CellLabel(plan, cell),
                            real, std::chrono::duration<double>(row.usage.user).count(),
                            std::chrono::duration<double>(row.usage.system).count(),
                            cell.outlier[i] ? "   (outlier)" : ""));
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [real, line] : lines) text += line;
    if (cell.excluded > 0) {
      text += fmt::format("{} {:9} not counted, see below\n", CellLabel(plan, cell), cell.excluded);
    }
  };
  for (const Cell& cell : report.pairs) append(cell);
  for (const Cell& cell : report.lead_ins) append(cell);
  return text;
}

Table PairTable(const Plan& plan, const Report& report) {
  Table table{
      .header = {"pair", "", "n", "real", "95 % interval", "min", "user", "sys", "disk", "ratio"},
      .rows = {},
      .word_columns = 2};
  for (const Cell& cell : report.pairs) table.rows.push_back(PairRow(plan, cell));
  for (const Cell& cell : report.lead_ins) table.rows.push_back(PairRow(plan, cell));
  return table;
}

Table CarryOverTable(const Plan& plan, const Report& report) {
  Table table{
      .header = {"pair", "blocks", "real", "95 % interval", "p", "disk", "95 % interval", "p"},
      .rows = {},
      .word_columns = 1};
  for (const Cell& cell : report.pairs) {
    if (!cell.real_carry_over || !cell.bytes_carry_over) continue;
    const CarryOver& real = *cell.real_carry_over;
    const CarryOver& disk = *cell.bytes_carry_over;
    table.rows.push_back({CellLabel(plan, cell), fmt::to_string(real.blocks),
                          fmt::format("{:.3f}", real.ratio), RatioSpan(real), PText(real),
                          fmt::format("{:.3f}", disk.ratio), RatioSpan(disk), PText(disk)});
  }
  return table;
}

std::string FormatReport(ReportFormat format, const LogContents& log, const Report& report) {
  switch (format) {
    case ReportFormat::kText:
      return TextReport(log, report);
    case ReportFormat::kMarkdown:
      return MarkdownReport(log, report);
    case ReportFormat::kCsv:
      return ToCsv(FigureTable(log.header.plan, report));
    case ReportFormat::kJson:
      break;
  }
  return ReportJson(log, report).dump(2) + "\n";
}

}  // namespace mr::lab
