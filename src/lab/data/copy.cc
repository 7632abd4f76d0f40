#include "lab/data/copy.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "os/error.h"
#include "os/text_file.h"

namespace mr::lab {

std::uint64_t CopyBytes(const os::File& from, std::uint64_t most, int to,
                        const std::string& to_name) {
  std::string buffer(std::size_t{1} << 20, '\0');
  std::uint64_t done = 0;
  while (done < most) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), most - done));
    const std::size_t got = from.ReadAt(buffer.data(), wanted, done);
    if (got == 0) break;
    const int error = os::WriteAll(to, std::string_view(buffer).substr(0, got));
    if (error != 0) throw os::IoError(to_name, error);
    done += got;
  }
  return done;
}

}  // namespace mr::lab
