// Whether two programs did the same, and why not if there is a reason.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "differential/case.h"
#include "differential/runner.h"

namespace differential {

enum class Aspect { kNone, kTimeLimit, kStatus, kOutput, kErrors };

std::string_view AspectName(Aspect aspect);

// What a reader would notice first. The program's name in messages does not count.
Aspect FirstDifference(const RunResult& reference, const RunResult& subject);

// `text` with the subject's name in messages replaced by the reference's.
std::string WithReferenceName(std::string text);

// A difference that is meant: the manual page lists it under DIFFERENCES, in words that hold
// `manual_words`.
struct KnownDifference {
  std::string_view name;
  std::string_view manual_words;
  bool (*applies)(const Case&, const RunResult& reference, const RunResult& subject);
};

std::span<const KnownDifference> KnownDifferences();

// The first one that applies, or null.
const KnownDifference* Explain(const Case& test_case, const RunResult& reference,
                               const RunResult& subject);

}  // namespace differential
