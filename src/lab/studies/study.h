// What the three older studies (sweep, cost, appcache) share: cells that are measured in rounds, in
// an order that a seed decides, each row logged before the next; and what a report is made of.
//
// A cell is one thing to measure, by name; a round measures every cell once. Cells leave nothing
// to each other that they do not bring about themselves, so an interrupted study is continued with
// the trials that are missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/analysis/statistics.h"
#include "lab/log/log_file.h"
#include "lab/log/record.h"
#include "lab/report/progress_line.h"
#include "lab/report/table.h"
#include "os/own_usage.h"

namespace mr::lab {

// Named figures of one trial, the unit at the end of the name: "cpu_ns", "minor_faults".
using Figures = std::map<std::string, double, std::less<>>;

// What a pass took: wall_ns, cpu_ns, user_us, system_us, minor_faults, major_faults, disk_bytes.
Figures UsageFigures(const os::OwnUsage& used);

class Study {
 public:
  virtual ~Study() = default;

  virtual std::vector<std::string> Cells() const = 0;
  // Brings about what all trials need (files, a warm cache), once per run and before the first
  // trial. Throws os::IoError.
  virtual void Prepare(ProgressLine& progress) = 0;
  // Measures a cell, by its place in Cells(). Throws os::IoError: the trial has failed then.
  virtual Figures Measure(std::size_t cell) = 0;
};

struct StudyRow {
  int trial = 0;  // in the schedule, from 0
  int round = 0;
  std::string cell;
  std::string started;  // UTC
  std::string failure;  // why there are no figures
  Figures figures;
};

struct StudyHeader {
  std::string study;  // "sweep", "cost", "appcache"
  std::string started;
  int rounds = 1;
  std::uint64_t seed = 1;
  std::vector<std::string> cells;
  Json plan;         // what the study itself needs to know
  Json environment;  // machine and file system
};

struct StudyLog {
  StudyHeader header;
  std::vector<StudyRow> rows;
  bool cut = false;
};

// The rows of `cell` that have figures, in order of rounds.
class CellView {
 public:
  CellView(const StudyLog& log, std::string_view cell);

  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  // The values of a figure; a row without it is an error in the log (RecordError).
  std::vector<double> Values(std::string_view figure) const;
  double Mean(std::string_view figure) const;    // not for an empty view
  double Median(std::string_view figure) const;  // likewise
  double Min(std::string_view figure) const;     // likewise
  const std::vector<const StudyRow*>& rows() const { return rows_; }

 private:
  std::vector<const StudyRow*> rows_;
};

struct Estimate {
  double median = 0;
  Interval interval;  // of the median: bootstrap over rounds, 95 %
  double min = 0;
};
Estimate EstimateOf(std::span<const double> values);  // not for none

struct StudyTrial {
  int index = 0;
  int round = 0;
  int cell = 0;
};

// Every cell once per round, each round in an order of its own. Pure.
std::vector<StudyTrial> StudySchedule(int cells, int rounds, std::uint64_t seed);

Json ToJson(const StudyHeader& header);
Json ToJson(const StudyRow& row);
// Throws as ReadLogFile, also for a log of another study.
StudyLog ParseStudyLog(const LogFile& file, std::string_view study);
StudyLog ReadStudyLog(const std::string& path, std::string_view study);

// Machine and file system of `path`. Throws os::IoError when the path is not there.
Json DescribePlace(const std::string& path);

// Runs the trials that `done` does not hold and appends them to `log`. A trial that fails is a row,
// too. Throws Interrupted (the log says so, too) and what Study::Prepare and LogWriter throw.
void RunStudy(Study& study, const StudyHeader& header, std::span<const StudyRow> done,
              LogWriter& log);

struct StudyFigure {
  std::string name;    // of the file, without its ending
  std::string script;  // see DrawFigure; empty when there is nothing to draw
};

struct StudyReport {
  std::string text;
  Table table;  // every figure unrounded, for --format csv
  Json json;
  std::vector<StudyFigure> figures;
};

// The parts that all reports have.
std::string DescribeStudy(const StudyLog& log);     // date, machine, rounds; what is missing
std::string DescribeFailures(const StudyLog& log);  // nothing when there are none
Json StudyJson(const StudyLog& log);                // the same for programs
std::size_t CountFailures(const StudyLog& log);

}  // namespace mr::lab
