// What every file of the file system of faults holds.
#pragma once

#include <cstddef>
#include <string>

namespace mr::test {

// Lines of 16 bytes, numbered in decimal: "line      00042\n".
constexpr std::size_t kLineBytes = 16;
constexpr std::size_t kContentBytes = 100'000 * kLineBytes;

inline char ContentAt(std::size_t offset) {
  constexpr char kStart[] = "line      ";
  const std::size_t column = offset % kLineBytes;
  if (column < sizeof kStart - 1) return kStart[column];
  if (column == kLineBytes - 1) return '\n';
  std::size_t number = offset / kLineBytes;
  for (std::size_t digit = kLineBytes - 2; digit > column; --digit) number /= 10;
  return static_cast<char>('0' + number % 10);
}

inline std::string Content(std::size_t bytes) {
  std::string content(bytes, 0);
  for (std::size_t i = 0; i < bytes; ++i) content[i] = ContentAt(i);
  return content;
}

}  // namespace mr::test
