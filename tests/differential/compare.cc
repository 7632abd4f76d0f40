#include "differential/compare.h"

namespace differential {

std::string_view AspectName(Aspect aspect) {
  switch (aspect) {
    case Aspect::kNone:
      return "no difference";
    case Aspect::kTimeLimit:
      return "time limit";
    case Aspect::kStatus:
      return "exit status";
    case Aspect::kOutput:
      return "standard output";
    case Aspect::kErrors:
      return "standard error";
  }
  return "?";
}

std::string WithReferenceName(std::string text) {
  constexpr std::string_view kSubject = "mrgrep";
  for (auto at = text.find(kSubject); at != std::string::npos; at = text.find(kSubject, at)) {
    text.replace(at, kSubject.size(), "grep");
  }
  return text;
}

Aspect FirstDifference(const RunResult& reference, const RunResult& subject) {
  // A reference that does not come to an end, or to that of its stack, says nothing.
  if (reference.timed_out) return Aspect::kNone;
  if (reference.status == 2 &&
      (reference.errors + reference.output).ends_with("grep: stack overflow\n")) {
    return Aspect::kNone;
  }
  if (subject.timed_out) return Aspect::kTimeLimit;
  if (reference.status != subject.status) return Aspect::kStatus;
  if (WithReferenceName(subject.output) != reference.output) return Aspect::kOutput;
  if (WithReferenceName(subject.errors) != reference.errors) return Aspect::kErrors;
  return Aspect::kNone;
}

}  // namespace differential
