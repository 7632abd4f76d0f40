// How busy reads that run ahead keep the disk.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mr::io {

// Looked at whenever a read has been started: how many were not complete then, itself included.
// What is in the page cache may be complete at once.
struct ReadDepth {
  std::uint64_t started = 0;    // reads
  std::uint64_t under_way = 0;  // the sum over them
  std::uint64_t most = 0;

  void Add(std::uint64_t now_under_way) {
    ++started;
    under_way += now_under_way;
    most = std::max(most, now_under_way);
  }
  ReadDepth& operator+=(const ReadDepth& other) {
    started += other.started;
    under_way += other.under_way;
    most = std::max(most, other.most);
    return *this;
  }
  double mean() const {
    return started == 0 ? 0 : static_cast<double>(under_way) / static_cast<double>(started);
  }
};

}  // namespace mr::io
