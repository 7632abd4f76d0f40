#include "lab/plan/observation.h"

#include <array>
#include <utility>

namespace mr::lab {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 8> kNames = {{
    {Outcome::kOk, "ok"},
    {Outcome::kNotPrepared, "not prepared"},
    {Outcome::kFailed, "failed"},
    {Outcome::kTimedOut, "timed out"},
    {Outcome::kWrongCount, "wrong count"},
    {Outcome::kNotLimited, "not limited"},
    {Outcome::kDisturbed, "disturbed"},
    {Outcome::kAfterFailure, "after a failure"},
}};

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  for (const auto& [known, name] : kNames) {
    if (known == outcome) return name;
  }
  return "unknown";
}

std::optional<Outcome> ParseOutcome(std::string_view name) {
  for (const auto& [outcome, known] : kNames) {
    if (known == name) return outcome;
  }
  return std::nullopt;
}

}  // namespace mr::lab
