// The observation log: one JSON object to a line, appended with one write and synced before the
// next trial starts, so that a kill, a crash or a full disk loses at most the row being written.
//
// The first line is the header (plan, truth, what the run was on). Each later line is a trial, or
// an event: {"event":"interrupted",...}. Only a last line without its newline may be damaged; that
// is what an interrupted write leaves, and it is dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/observation.h"
#include "lab/plan.h"
#include "lab/record.h"

namespace mr::lab {

struct LogHeader {
  Plan plan;
  Truth truth;
  std::string started;  // UTC
  Json environment;     // machine, file system, programs: read by people and by reports
  std::vector<std::string> warnings;  // what makes the run less trustworthy
};

// A thing that happened between trials.
struct LogEvent {
  std::string name;  // "resumed", "interrupted", "finished"
  std::string time;  // UTC
  std::string text;
};

struct LogContents {
  LogHeader header;
  std::vector<Observation> observations;
  std::vector<LogEvent> events;
  bool cut = false;               // a damaged last line was dropped
  std::uint64_t whole_bytes = 0;  // up to the end of the last whole line
};

// Throws os::IoError when the log cannot be read, holds no header, or is damaged elsewhere than in
// its last line (the line is named).
LogContents ReadLog(const std::string& path);

// Appends to a log. While it lives the log is locked: a second writer is refused. Throws
// os::IoError; after a failed append the log ends with the last whole line. Not thread-safe.
class LogWriter {
 public:
  // A log that is not there yet: an existing one is never overwritten.
  static LogWriter Create(const std::string& path, const LogHeader& header);
  // Goes on with a log that ReadLog read, cutting off its damaged last line.
  static LogWriter Continue(const std::string& path, const LogContents& contents);

  LogWriter(LogWriter&& other) noexcept;
  LogWriter& operator=(LogWriter&&) = delete;
  ~LogWriter();

  const std::string& path() const { return path_; }
  void Append(const Observation& observation);
  void Append(const LogEvent& event);

 private:
  LogWriter(std::string path, int flags);
  void AppendLine(const Json& json);

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t end_bytes_ = 0;
};

// Now, as "2025-01-31T12:00:00.123Z".
std::string UtcNow();

}  // namespace mr::lab
