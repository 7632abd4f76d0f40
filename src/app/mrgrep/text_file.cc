#include "app/mrgrep/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {

std::string ReadTextFile(const std::string& path) {
  std::optional<std::string> text = path == "-" ? os::ReadText(STDIN_FILENO) : os::ReadText(path);
  if (!text) throw os::IoError(path, errno);
  return std::move(*text);
}

}  // namespace mr::app
