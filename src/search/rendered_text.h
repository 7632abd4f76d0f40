// What selected lines have been made into.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mr::search {

// Bytes on their way to the output. A prefix before each of many short matches makes far more text
// than there was in the block, so whoever owns it may take away what is there whenever it grows
// large; those who append need not know. Not thread-safe.
class RenderedText {
 public:
  static constexpr std::size_t kFullBytes = std::size_t{4} << 20;

  // Called when there are kFullBytes or more, in the middle of a line perhaps. It may clear() the
  // text, and may throw. None: the text grows.
  std::function<void()> on_full;

  RenderedText& operator+=(std::string_view bytes) {
    while (bytes.size() > kFullBytes && on_full) {  // a long line
      *this += bytes.substr(0, kFullBytes);
      bytes.remove_prefix(kFullBytes);
    }
    bytes_ += bytes;
    if (bytes_.size() >= kFullBytes && on_full) on_full();
    return *this;
  }
  // Left to the next of the above to see whether there is too much now.
  RenderedText& operator+=(char byte) {
    bytes_ += byte;
    return *this;
  }

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace mr::search
