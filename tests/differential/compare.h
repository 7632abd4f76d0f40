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

class Judge;

// A case in canonical spelling (options.h) in which the two differed.
struct Dispute {
  Case test_case;
  const RunResult& reference;
  const RunResult& subject;
};

// A difference that is meant: the manual page lists it under DIFFERENCES, in words that hold
// `manual_words`. All of this takes canonical cases.
struct KnownDifference {
  std::string_view name;
  std::string_view manual_words;
  // Whether the case holds what causes it,
  bool (*present)(const Case&);
  // the case without that, in which both must print the same,
  Case (*without)(Case);
  // whether a line of which only one of the two selects anything may be such because of it (null:
  // both select the same lines),
  bool (*touches)(const std::string& line);
  // and what else is true then.
  bool (*holds)(const Dispute&, Judge&);
};

std::span<const KnownDifference> KnownDifferences();

// The name of the known difference that it is, or of two together; empty if it is none.
std::string Explain(const Case& test_case, const RunResult& reference, const RunResult& subject,
                    Judge& judge);

}  // namespace differential
