// Text in which every line is another.
#pragma once

#include <cstddef>
#include <string>

namespace mr::io {

// Exactly `size` bytes.
inline std::string NumberedLines(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i * 7919) + "\n";
  text.resize(size);
  return text;
}

}  // namespace mr::io
