#include "os/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "os/descriptor.h"

namespace mr::os {

std::optional<std::string> ReadText(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  return ReadText(fd.get());
}

std::optional<std::string> ReadText(int fd) {
  constexpr std::size_t kStepBytes = 16 * 1024;
  std::string text;
  std::size_t size = 0;
  while (true) {
    if (text.size() - size < kStepBytes) text.resize(2 * text.size() + kStepBytes);
    const ssize_t n = ::read(fd, text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    size += static_cast<std::size_t>(n);
    if (n > 0) continue;
    text.resize(size);
    return text;
  }
}

std::optional<std::string> ReadLine(const std::string& path) {
  std::optional<std::string> text = ReadText(path);
  if (text) text->resize(std::min(text->size(), text->find('\n')));
  return text;
}

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::optional<std::uint64_t> LeadingNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace mr::os
