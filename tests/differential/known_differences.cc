// Where mrgrep differs from GNU grep on purpose.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "differential/compare.h"

namespace differential {
namespace {

// GNU grep has no non-ASCII collation in C.UTF-8 and refuses what would need it.
bool CollationInUtf8(const Case& test_case, const RunResult& reference, const RunResult&) {
  const std::string& messages = test_case.one_stream ? reference.output : reference.errors;
  return test_case.locale == "C.UTF-8" && reference.status == 2 &&
         messages.find("Invalid collation character") != std::string::npos;
}

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char byte : WithReferenceName(text)) {
    lines.back() += byte;
    if (byte == '\n' || byte == '\0') lines.emplace_back();
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// GNU grep takes the files of a directory as the file system lists them.
bool DirectoryOrder(const Case& test_case, const RunResult& reference, const RunResult& subject) {
  const bool recursive =
      test_case.HasOption("-r") || test_case.HasOption("-R") || test_case.HasOption("-drecurse");
  return recursive && reference.status == subject.status &&
         SortedLines(reference.output) == SortedLines(subject.output) &&
         SortedLines(reference.errors) == SortedLines(subject.errors);
}

constexpr std::array kKnownDifferences = {
    KnownDifference{"collation in C.UTF-8", "Invalid collation character", CollationInUtf8},
    KnownDifference{"order of a directory", "sorted", DirectoryOrder},
};

}  // namespace

std::span<const KnownDifference> KnownDifferences() { return kKnownDifferences; }

}  // namespace differential
