#include "print/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "os/text_file.h"

namespace mr::print {
namespace {

// Large enough that a write(2) costs little beside the bytes, small beside the search's blocks.
constexpr std::size_t kHeldBytes = 64 * 1024;

}  // namespace

StandardOutput::StandardOutput(std::string program_name, Buffering buffering, bool quiet_files)
    : program_name_(std::move(program_name)), buffering_(buffering), quiet_files_(quiet_files) {}

void StandardOutput::Write(std::string_view bytes) {
  if (bytes.empty()) return;
  if (buffering_ == Buffering::kWrites) {
    WriteThrough(bytes);
    return;
  }
  if (held_.size() + bytes.size() > kHeldBytes) Flush();
  if (bytes.size() >= kHeldBytes) {
    WriteThrough(bytes);
  } else {
    held_ += bytes;
  }
}

void StandardOutput::Message(search::Severity severity, std::string_view text) {
  if (quiet_files_ && severity == search::Severity::kFileError) return;
  Flush();
  WriteMessage(program_name_, text);
}

void StandardOutput::Flush() {
  // Empty before the attempt: what could not be written must not be tried again.
  std::string bytes = std::exchange(held_, {});
  WriteThrough(bytes);
  bytes.clear();
  held_ = std::move(bytes);  // its memory serves again
}

void StandardOutput::WriteThrough(std::string_view bytes) {
  const int error = os::WriteAll(STDOUT_FILENO, bytes);
  if (error != 0) throw search::OutputError(std::string("write error: ") + std::strerror(error));
}

void WriteMessage(std::string_view program_name, std::string_view text) {
  std::string line(program_name);
  line += ": ";
  line += text;
  line += '\n';
  WriteError(line);
}

void WriteError(std::string_view text) { os::WriteAll(STDERR_FILENO, text); }

}  // namespace mr::print
