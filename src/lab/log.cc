#include "lab/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include "os/error.h"
#include "os/text_file.h"

namespace mr::lab {
namespace {

constexpr int kFormat = 1;

Json HeaderToJson(const LogHeader& header) {
  return {{"mrbench", "pairs"},
          {"format", kFormat},
          {"version", MRGREP_VERSION},
          {"started", header.started},
          {"plan", ToJson(header.plan)},
          {"truth", ToJson(header.truth)},
          {"environment", header.environment},
          {"warnings", header.warnings}};
}

LogHeader HeaderFromJson(const Json& json) {
  if (json.at("mrbench") != "pairs") throw RecordError("not a log of mrbench pairs");
  if (json.at("format") != kFormat) {
    throw RecordError(
        fmt::format("log format {} is not known to this version", json.at("format").dump()));
  }
  return {.plan = PlanFromJson(json.at("plan")),
          .truth = TruthFromJson(json.at("truth")),
          .started = json.at("started").get<std::string>(),
          .environment = json.at("environment"),
          .warnings = json.at("warnings").get<std::vector<std::string>>()};
}

// The log must not name arms or places that its plan does not have.
void CheckAgainstPlan(const Observation& row, const Plan& plan) {
  const int arms = static_cast<int>(plan.arms.size());
  const auto known = [&](int arm) { return arm >= 0 && arm < arms; };
  if (!known(row.trial.arm) || (row.trial.previous && !known(*row.trial.previous))) {
    throw RecordError("a trial of an arm that the plan does not have");
  }
}

void ReadLine(const Json& json, LogContents& contents) {
  if (json.contains("event")) {
    contents.events.push_back({.name = json.at("event").get<std::string>(),
                               .time = json.at("time").get<std::string>(),
                               .text = json.at("text").get<std::string>()});
    return;
  }
  contents.observations.push_back(ObservationFromJson(json));
  CheckAgainstPlan(contents.observations.back(), contents.header.plan);
}

}  // namespace

LogContents ReadLog(const std::string& path) {
  const std::optional<std::string> read = os::ReadText(path);
  if (!read) throw os::IoError(path, errno);
  const std::string& text = *read;
  LogContents contents;
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const std::size_t newline = text.find('\n', begin);
    if (newline == std::string::npos) {
      contents.cut = true;
      break;
    }
    try {
      const Json json = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                    text.begin() + static_cast<std::ptrdiff_t>(newline));
      if (line == 1) {
        contents.header = HeaderFromJson(json);
      } else {
        ReadLine(json, contents);
      }
    } catch (const nlohmann::json::exception& error) {
      throw os::IoError(path, fmt::format("line {} is not a line of a log of mrbench pairs ({})",
                                          line, error.what()));
    } catch (const RecordError& error) {
      throw os::IoError(path, fmt::format("line {}: {}", line, error.what()));
    }
    begin = newline + 1;
    contents.whole_bytes = begin;
  }
  if (contents.whole_bytes == 0) {
    throw os::IoError(path, "no whole line in it: not a log of mrbench pairs, or cut at its start");
  }
  return contents;
}

LogWriter::LogWriter(std::string path, int flags)
    : path_(std::move(path)),
      descriptor_(open(path_.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw os::IoError(path_, errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    close(descriptor_);
    if (error_number == EWOULDBLOCK) {
      throw os::IoError(path_, "another mrbench is writing to this log");
    }
    throw os::IoError(path_, error_number);
  }
}

LogWriter::LogWriter(LogWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      end_bytes_(other.end_bytes_) {}

LogWriter::~LogWriter() {
  if (descriptor_ >= 0) close(descriptor_);
}

LogWriter LogWriter::Create(const std::string& path, const LogHeader& header) {
  LogWriter writer(path, O_CREAT | O_EXCL);
  try {
    writer.AppendLine(HeaderToJson(header));
  } catch (const os::IoError&) {
    unlink(path.c_str());
    throw;
  }
  return writer;
}

LogWriter LogWriter::Continue(const std::string& path, const LogContents& contents) {
  LogWriter writer(path, 0);
  if (ftruncate(writer.descriptor_, static_cast<off_t>(contents.whole_bytes)) != 0) {
    throw os::IoError(path, errno);
  }
  writer.end_bytes_ = contents.whole_bytes;
  return writer;
}

void LogWriter::Append(const Observation& observation) { AppendLine(ToJson(observation)); }

void LogWriter::Append(const LogEvent& event) {
  AppendLine({{"event", event.name}, {"time", event.time}, {"text", event.text}});
}

void LogWriter::AppendLine(const Json& json) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const ssize_t written = write(descriptor_, line.data(), line.size());
  const bool whole = written == static_cast<ssize_t>(line.size());
  const int error_number = written < 0 ? errno : (whole ? 0 : ENOSPC);
  if (!whole) {
    // A part of a line would be dropped by the next reader anyway; without it the log is whole.
    static_cast<void>(ftruncate(descriptor_, static_cast<off_t>(end_bytes_)) == 0);
    throw os::IoError(path_, error_number);
  }
  end_bytes_ += line.size();
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    throw os::IoError(path_, errno);
  }
}

std::string UtcNow() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}Z", text, milliseconds);
}

}  // namespace mr::lab
