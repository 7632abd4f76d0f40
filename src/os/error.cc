#include "os/error.h"

#include <cstring>
#include <utility>

namespace mr::os {

IoError::IoError(std::string path, int error_number)
    : std::runtime_error(path + ": " + std::strerror(error_number)),
      path_(std::move(path)),
      reason_(std::strerror(error_number)),
      error_number_(error_number) {}

IoError::IoError(std::string path, int error_number, std::uint64_t offset_bytes)
    : std::runtime_error(path + ": " + std::strerror(error_number) + " at offset " +
                         std::to_string(offset_bytes)),
      path_(std::move(path)),
      reason_(std::string(std::strerror(error_number)) + " at offset " +
              std::to_string(offset_bytes)),
      error_number_(error_number) {}

IoError::IoError(std::string path, std::string reason)
    : std::runtime_error(path + ": " + reason),
      path_(std::move(path)),
      reason_(std::move(reason)) {}

}  // namespace mr::os
