// Where mrgrep differs from GNU grep on purpose.

#include <array>

#include "differential/compare.h"

namespace differential {
namespace {

// GNU grep has no non-ASCII collation in C.UTF-8 and refuses what would need it.
bool CollationInUtf8(const Case& test_case, const RunResult& reference, const RunResult&) {
  const std::string& messages = test_case.one_stream ? reference.output : reference.errors;
  return test_case.locale == "C.UTF-8" && reference.status == 2 &&
         messages.find("Invalid collation character") != std::string::npos;
}

constexpr std::array kKnownDifferences = {
    KnownDifference{"collation in C.UTF-8", "Invalid collation character", CollationInUtf8},
};

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kKnownDifferences; }

}  // namespace differential
