#include "lab/studies/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "io/size.h"
#include "lab/data/random.h"
#include "lab/log/log_header.h"
#include "lab/plan/plan.h"
#include "lab/trial/environment.h"
#include "lab/trial/trial.h"
#include "os/error.h"
#include "os/machine.h"

namespace mr::lab {
namespace {

constexpr double kStudyConfidence = 0.95;
constexpr std::uint64_t kBootstrapSeed = 1;
constexpr std::size_t kShownFailures = 20;

StudyHeader HeaderFromJson(const Json& json, std::string_view study) {
  CheckLogKind(json, std::string(study).c_str());
  StudyHeader header{.study = std::string(study),
                     .started = json.at("started").get<std::string>(),
                     .rounds = Whole<int>(json.at("rounds")),
                     .seed = Whole<std::uint64_t>(json.at("seed")),
                     .cells = json.at("cells").get<std::vector<std::string>>(),
                     .plan = json.at("plan"),
                     .environment = json.at("environment")};
  if (header.rounds < 1 || header.cells.empty()) throw RecordError("a plan without trials");
  if (TooManyTrials(static_cast<std::uint64_t>(header.rounds), header.cells.size())) {
    throw RecordError("a plan of too many trials");
  }
  return header;
}

StudyRow RowFromJson(const Json& json, const StudyHeader& header) {
  StudyRow row{.trial = Whole<int>(json.at("trial")),
               .round = Whole<int>(json.at("round")),
               .cell = json.at("cell").get<std::string>(),
               .started = json.at("started").get<std::string>(),
               .failure = json.value("failure", ""),
               .figures = {}};
  if (json.contains("figures")) row.figures = json.at("figures").get<Figures>();
  if (std::find(header.cells.begin(), header.cells.end(), row.cell) == header.cells.end()) {
    throw RecordError(fmt::format("a trial of '{}', which the plan does not have", row.cell));
  }
  const int trials = header.rounds * static_cast<int>(header.cells.size());
  if (row.trial < 0 || row.trial >= trials || row.round < 0 || row.round >= header.rounds) {
    throw RecordError("a trial beyond the schedule");
  }
  if (row.failure.empty() && row.figures.empty()) throw RecordError("a trial without figures");
  return row;
}

StudyRow RunTrial(Study& study, const StudyHeader& header, const StudyTrial& trial) {
  const auto cell = static_cast<std::size_t>(trial.cell);
  StudyRow row{.trial = trial.index,
               .round = trial.round,
               .cell = header.cells[cell],
               .started = UtcNow(),
               .failure = {},
               .figures = {}};
  try {
    row.figures = study.Measure(cell);
  } catch (const os::IoError& error) {
    row.failure = error.what();
  }
  return row;
}

Json EventNow(const char* name, const std::string& text) {
  return ToJson(LogEvent{.name = name, .time = UtcNow(), .text = text});
}

}  // namespace

Figures UsageFigures(const os::OwnUsage& used) {
  return {{"wall_ns", static_cast<double>(used.wall.count())},
          {"cpu_ns", static_cast<double>(used.cpu.count())},
          {"user_us", static_cast<double>(used.user.count())},
          {"system_us", static_cast<double>(used.system.count())},
          {"minor_faults", static_cast<double>(used.minor_faults)},
          {"major_faults", static_cast<double>(used.major_faults)},
          {"disk_bytes", static_cast<double>(used.disk_bytes)}};
}

CellView::CellView(const StudyLog& log, std::string_view cell) {
  for (const StudyRow& row : log.rows) {
    if (row.cell == cell && row.failure.empty()) rows_.push_back(&row);
  }
  std::sort(rows_.begin(), rows_.end(),
            [](const StudyRow* a, const StudyRow* b) { return a->trial < b->trial; });
}

std::vector<double> CellView::Values(std::string_view figure) const {
  std::vector<double> values;
  for (const StudyRow* row : rows_) {
    const auto found = row->figures.find(figure);
    if (found == row->figures.end()) {
      throw RecordError(fmt::format("trial {} of '{}' has no {}", row->trial, row->cell, figure));
    }
    values.push_back(found->second);
  }
  return values;
}

double CellView::Mean(std::string_view figure) const {
  const std::vector<double> values = Values(figure);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double CellView::Median(std::string_view figure) const { return lab::Median(Values(figure)); }

double CellView::Min(std::string_view figure) const {
  const std::vector<double> values = Values(figure);
  return *std::min_element(values.begin(), values.end());
}

Estimate EstimateOf(std::span<const double> values) {
  return {.median = Median(values),
          .interval = BootstrapMedian(values, kStudyConfidence, kBootstrapSeed),
          .min = *std::min_element(values.begin(), values.end())};
}

std::vector<StudyTrial> StudySchedule(int cells, int rounds, std::uint64_t seed) {
  Random random(seed);
  std::vector<StudyTrial> trials;
  std::vector<int> order(static_cast<std::size_t>(cells));
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < rounds; ++round) {
    random.Shuffle(order);
    for (const int cell : order) {
      trials.push_back({.index = static_cast<int>(trials.size()), .round = round, .cell = cell});
    }
  }
  return trials;
}

Json ToJson(const StudyHeader& header) {
  return {
      {"mrbench", header.study},   {"format", kLogFormat},    {"version", MRGREP_VERSION},
      {"started", header.started}, {"rounds", header.rounds}, {"seed", header.seed},
      {"cells", header.cells},     {"plan", header.plan},     {"environment", header.environment}};
}

Json ToJson(const StudyRow& row) {
  Json json = {
      {"trial", row.trial}, {"round", row.round}, {"cell", row.cell}, {"started", row.started}};
  if (!row.failure.empty()) json["failure"] = row.failure;
  if (!row.figures.empty()) json["figures"] = row.figures;
  return json;
}

StudyLog ParseStudyLog(const LogFile& file, std::string_view study) {
  StudyLog log;
  log.cut = file.cut;
  ReadLogLine(file.path, 1, [&] { log.header = HeaderFromJson(file.header, study); });
  TrialNumbers numbers;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (IsEvent(file.lines[i])) continue;
    ReadLogLine(file.path, i + 2, [&] {
      log.rows.push_back(RowFromJson(file.lines[i], log.header));
      numbers.Add(log.rows.back().trial);
    });
  }
  return log;
}

StudyLog ReadStudyLog(const std::string& path, std::string_view study) {
  return ParseStudyLog(ReadLogFile(path), study);
}

Json DescribePlace(const std::string& path) {
  return {{"machine", ToJson(os::DescribeMachine())},
          {"file_system", ToJson(os::DescribeFileSystem(path))}};
}

void RunStudy(Study& study, const StudyHeader& header, std::span<const StudyRow> done,
              LogWriter& log) {
  ProgressLine progress(stderr);
  std::set<int> present;
  for (const StudyRow& row : done) present.insert(row.trial);
  std::vector<StudyTrial> trials =
      StudySchedule(static_cast<int>(header.cells.size()), header.rounds, header.seed);
  std::erase_if(trials, [&](const StudyTrial& trial) { return present.contains(trial.index); });
  if (trials.empty()) return;
  progress.Show("preparing");
  study.Prepare(progress);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (const int signal = progress.StopSignal()) {
      log.Append(EventNow("interrupted", fmt::format("signal {}", signal)));
      throw Interrupted(signal);
    }
    const std::string& cell = header.cells[static_cast<std::size_t>(trials[i].cell)];
    progress.Show(fmt::format("trial {} of {}, round {} of {}{}: {}", i + 1, trials.size(),
                              trials[i].round + 1, header.rounds,
                              progress.TimeLeft(i, trials.size()), cell));
    const StudyRow row = RunTrial(study, header, trials[i]);
    log.Append(ToJson(row));
    if (!row.failure.empty()) {
      progress.Say(fmt::format("round {}, {}: {}", row.round + 1, row.cell, row.failure));
    }
  }
  log.Append(EventNow("finished", ""));
}

std::string DescribeStudy(const StudyLog& log) {
  const StudyHeader& header = log.header;
  const Json& machine = header.environment.at("machine");
  const Json& files = header.environment.at("file_system");
  std::string text = fmt::format(
      "  started  {}\n  machine  Linux {}, {} CPUs ({}), {} of memory\n           {}, {}",
      header.started, machine.value("kernel", "?"), machine.value("cpus", 0),
      machine.value("cpu_model", "?"), io::RoughSize(machine.value("memory_bytes", 0.0)),
      files.value("type", "?"), files.value("mount_options", "?"));
  if (files.contains("read_ahead_kib")) {
    text += fmt::format(", read-ahead {} KiB", Whole<std::uint64_t>(files.at("read_ahead_kib")));
  }
  text += fmt::format("\n  trials   {} rounds of {} cells, in random order (seed {})\n",
                      header.rounds, header.cells.size(), header.seed);
  const std::size_t planned = static_cast<std::size_t>(header.rounds) * header.cells.size();
  if (log.rows.size() < planned) {
    text +=
        fmt::format("  Not complete: {} of {} trials are in the log.\n", log.rows.size(), planned);
  }
  if (log.cut) text += "  The log is cut in the middle of its last line, which was dropped.\n";
  return text;
}

std::size_t CountFailures(const StudyLog& log) {
  return static_cast<std::size_t>(std::count_if(
      log.rows.begin(), log.rows.end(), [](const StudyRow& row) { return !row.failure.empty(); }));
}

std::string DescribeFailures(const StudyLog& log) {
  const std::size_t failures = CountFailures(log);
  if (failures == 0) return "";
  // A cell that cannot be measured here fails in every round, for the same reason.
  std::map<std::pair<std::string, std::string>, int> reasons;
  for (const StudyRow& row : log.rows) {
    if (!row.failure.empty()) ++reasons[{row.cell, row.failure}];
  }
  std::string text =
      fmt::format("{} of {} trials failed and do not count:\n", failures, log.rows.size());
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > kShownFailures) break;
    text += fmt::format("  {} ({} times): {}\n", reason.first, count, reason.second);
  }
  if (reasons.size() > kShownFailures) {
    text += fmt::format("  and {} more, which the log holds\n", reasons.size() - kShownFailures);
  }
  return text;
}

Json StudyJson(const StudyLog& log) {
  Json json = ToJson(log.header);
  json["planned"] = static_cast<std::size_t>(log.header.rounds) * log.header.cells.size();
  json["observed"] = log.rows.size();
  json["failed"] = CountFailures(log);
  return json;
}

}  // namespace mr::lab
