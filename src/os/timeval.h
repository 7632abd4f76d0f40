// The C library's struct timeval, as getrusage(2) and wait4(2) fill it in.
#pragma once

#include <sys/time.h>

#include <chrono>

namespace mr::os {

inline std::chrono::microseconds Microseconds(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace mr::os
