#include "support/refusals.h"

#include <algorithm>
#include <iterator>

namespace mr::test {
namespace {

constexpr const char* kRefusals[] = {
    "not a file of known size",
    "the file system has no direct IO",
    "io_uring: ",
};

}  // namespace

bool SaysRefusal(std::string_view text) {
  return std::any_of(std::begin(kRefusals), std::end(kRefusals), [&](const char* refusal) {
    return text.find(refusal) != std::string_view::npos;
  });
}

}  // namespace mr::test
