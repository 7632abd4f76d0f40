#include "app/mrgrep_text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/descriptor.h"
#include "os/error.h"

namespace mr::app {
std::string ReadTextFile(const std::string& path) {
  constexpr std::size_t kStepBytes = 64 * 1024;
  os::Descriptor file;
  int fd = STDIN_FILENO;
  if (path != "-") {
    file = os::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw os::IoError(path, errno);
    fd = file.get();
  }
  std::string text;
  std::size_t size = 0;
  while (true) {
    if (text.size() - size < kStepBytes) text.resize(2 * text.size() + kStepBytes);
    const ssize_t bytes = ::read(fd, text.data() + size, text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) throw os::IoError(path, errno);
    if (bytes == 0) break;
    size += static_cast<std::size_t>(bytes);
  }
  text.resize(size);
  return text;
}

}  // namespace mr::app
