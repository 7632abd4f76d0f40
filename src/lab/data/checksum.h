// XXH128 of a file that comes in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mr::lab {

class Checksum {
 public:
  Checksum();
  ~Checksum();

  void Feed(std::string_view bytes);
  // 32 hexadecimal digits, as xxh128sum(1) prints them.
  std::string Hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mr::lab
