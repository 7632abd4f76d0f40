#include "os/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/descriptor.h"

namespace mr::os {

std::optional<std::string> ReadText(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

std::optional<std::string> ReadLine(const std::string& path) {
  std::optional<std::string> text = ReadText(path);
  if (text) text->resize(std::min(text->size(), text->find('\n')));
  return text;
}

}  // namespace mr::os
