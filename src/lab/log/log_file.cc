#include "lab/log/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>

#include "lab/data/file.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::lab {

std::string ReasonOf(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");  // of "[json.exception.type_error.302] "
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

void ReadLogLine(const std::string& path, std::size_t number, const std::function<void()>& read) {
  try {
    read();
  } catch (const nlohmann::json::exception& error) {
    throw os::IoError(path, fmt::format("line {} is not a line of a log of mrbench ({})", number,
                                        ReasonOf(error)));
  } catch (const RecordError& error) {
    throw os::IoError(path, fmt::format("line {}: {}", number, error.what()));
  }
}

LogFile ReadLogFile(const std::string& path) {
  const std::optional<std::string> text = os::ReadText(path);
  if (!text) throw os::IoError(path, errno);
  LogFile log;
  log.path = path;
  for (std::size_t number = 1; log.whole_bytes < text->size(); ++number) {
    const auto begin = static_cast<std::ptrdiff_t>(log.whole_bytes);
    const std::size_t newline = text->find('\n', log.whole_bytes);
    if (newline == std::string::npos) {
      log.cut = true;
      break;
    }
    ReadLogLine(path, number, [&] {
      Json json =
          Json::parse(text->begin() + begin, text->begin() + static_cast<std::ptrdiff_t>(newline));
      if (number > 1) {
        log.lines.push_back(std::move(json));
      } else {
        log.header = std::move(json);
        static_cast<void>(log.kind());
      }
    });
    log.whole_bytes = newline + 1;
  }
  if (log.whole_bytes == 0) {
    throw os::IoError(path, "no whole line in it: not a log of mrbench, or cut at its start");
  }
  return log;
}

LogWriter::LogWriter(std::string path, int flags)
    : path_(std::move(path)),
      // A FIFO would wait for a reader.
      fd_(::open(path_.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                 0666)) {
  if (!fd_) throw os::IoError(path_, errno);
  struct stat info = {};
  if (::fstat(fd_.get(), &info) != 0) throw os::IoError(path_, errno);
  if (!S_ISREG(info.st_mode)) throw os::IoError(path_, "not a regular file, so it can be no log");
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) throw os::IoError(path_, "another mrbench is writing to this log");
  throw os::IoError(path_, errno);
}

LogWriter::~LogWriter() {
  // Still locked: nobody else can have begun to write to it.
  if (fd_ && end_bytes_ == 0) ::unlink(path_.c_str());
}

LogWriter LogWriter::Create(const std::string& path) {
  LogWriter writer(path, O_CREAT);
  struct stat info = {};
  if (::fstat(writer.fd_.get(), &info) != 0) throw os::IoError(path, errno);
  if (info.st_size != 0) {
    writer.fd_.Close();
    throw os::IoError(path, EEXIST);
  }
  return writer;
}

std::pair<LogWriter, LogFile> LogWriter::Continue(const std::string& path) {
  LogWriter writer(path, 0);
  writer.end_bytes_ = 1;  // whatever it holds stays
  LogFile log = ReadLogFile(path);
  if (log.cut && ::ftruncate(writer.fd_.get(), static_cast<off_t>(log.whole_bytes)) != 0) {
    throw os::IoError(path, errno);
  }
  writer.end_bytes_ = log.whole_bytes;
  return {std::move(writer), std::move(log)};
}

void LogWriter::Append(const Json& json) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    const int error_number = written < 0 ? errno : ENOSPC;
    // A part of a line would be dropped by the next reader anyway; without it the log is whole.
    static_cast<void>(::ftruncate(fd_.get(), static_cast<off_t>(end_bytes_)) == 0);
    throw os::IoError(path_, error_number);
  }
  const bool first = end_bytes_ == 0;
  end_bytes_ += line.size();
  if (::fdatasync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS) {
    throw os::IoError(path_, errno);
  }
  if (first) SyncDirectoryOf(path_);
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
