// The measurement that started this: Peter Jeremy, "Reading via mmap stinks (Re: weird bugs with
// mmap-ing via NFS)", a FreeBSD mailing list, March 2006. grep and grep --mmap in a script, over a
// file of 2052167894 bytes on a laptop with 932249600 bytes of memory and a disk of "a bit over
// 25 MB/sec". Shown beside our figures, never among them.
#pragma once

#include <array>
#include <string_view>

namespace mr::lab {

struct PublishedPair {
  std::string_view pair;  // "mr": mmap, then read, which is the one that is timed
  int runs;
  double median_real_s;
  double least_real_s;
  double most_real_s;
  double median_user_s;
  double median_system_s;
};

// Worked out from the runs as they were posted.
inline constexpr std::array<PublishedPair, 4> kPublished2006 = {{
    {"mm", 4, 78.28, 77.94, 79.33, 1.54, 2.21},
    {"mr", 8, 57.675, 56.64, 59.15, 0.675, 2.56},
    {"rm", 7, 77.35, 75.98, 88.88, 1.50, 2.29},
    {"rr", 4, 78.99, 78.00, 79.69, 0.69, 2.74},
}};

}  // namespace mr::lab
