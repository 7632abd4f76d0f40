// Logs on disk: one JSON object to a line, appended with one write and synced before the next
// trial starts, so that a kill, a crash or a full disk loses at most the row being written.
//
// The first line is the header; its member "mrbench" names the subcommand that wrote the log
// ("pairs"), which knows what the lines mean. Only a last line without its newline may be damaged:
// that is what an interrupted write leaves, and it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lab/log/record.h"
#include "os/descriptor.h"
#include "os/error.h"

namespace mr::lab {

struct LogFile {
  std::string path;
  Json header;
  std::vector<Json> lines;        // all others
  bool cut = false;               // a damaged last line was dropped
  std::uint64_t whole_bytes = 0;  // up to the end of the last whole line

  std::string kind() const { return header.at("mrbench").get<std::string>(); }
};

// Throws os::IoError when the log cannot be read, holds no header, or is damaged elsewhere than in
// its last line (the line is named).
LogFile ReadLogFile(const std::string& path);

// Calls `read` and turns the complaints of JSON and of record.h into an os::IoError that names line
// `number` of the log, counted from 1.
void ReadLogLine(const std::string& path, std::size_t number, const std::function<void()>& read);

// What JSON complains of, without the number of its complaint.
std::string ReasonOf(const nlohmann::json::exception& error);

// Calls `use`, which makes something of the log at `path`, and names the log where a member is
// missing or wrong that only then is looked at.
template <typename Use>
auto NamingLog(const std::string& path, const Use& use) {
  try {
    return use();
  } catch (const nlohmann::json::exception& error) {
    throw os::IoError(path, ReasonOf(error));
  } catch (const RecordError& error) {
    throw os::IoError(path, error.what());
  }
}

// Appends to a log. While it lives the log is locked: a second writer is refused. Throws
// os::IoError; after a failed append the log ends with the last whole line. Not thread-safe.
class LogWriter {
 public:
  // Claims the name of a new log, before anything that takes long. A log that holds something is
  // never overwritten; an empty one, left by a run that was killed before it had anything to
  // record, is taken over.
  static LogWriter Create(const std::string& path);
  // Goes on with a log: locks it, then reads it, so that no row of another writer is missed, and
  // cuts off a damaged last line.
  static std::pair<LogWriter, LogFile> Continue(const std::string& path);

  LogWriter(LogWriter&&) = default;
  LogWriter& operator=(LogWriter&&) = delete;
  // Removes a log to which nothing was ever appended.
  ~LogWriter();

  const std::string& path() const { return path_; }
  void Append(const Json& line);

 private:
  LogWriter(std::string path, int flags);

  std::string path_;
  os::Descriptor fd_;
  std::uint64_t end_bytes_ = 0;
};

// Now, as "2025-01-31T12:00:00.123Z".
std::string UtcNow();

}  // namespace mr::lab
