// Failures of the outside world, as exceptions.
//
// An IoError is caught in two places only: per file (the search goes on with the next one and the
// exit status becomes 2) and in main. Failures that are results, such as a child's exit status or
// a cache that could not be emptied, are values, not exceptions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mr::os {

class IoError : public std::runtime_error {
 public:
  // `what()` reads "PATH: MESSAGE", with MESSAGE from strerror(error_number), as grep prints it.
  IoError(std::string path, int error_number);
  // As above with "PATH: MESSAGE at offset N": an error in the middle of a file.
  IoError(std::string path, int error_number, std::uint64_t offset_bytes);
  // "PATH: REASON", for failures that have no errno (a file that shrank while being read).
  IoError(std::string path, std::string reason);

  const std::string& path() const { return path_; }
  int error_number() const { return error_number_; }  // 0 when there is none
  const std::string& reason() const { return reason_; }  // what() without "PATH: "

 private:
  std::string path_;
  std::string reason_;
  int error_number_ = 0;
};

}  // namespace mr::os
