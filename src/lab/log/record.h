// Plans and observations as JSON, one object to a line of the log, and back. The names are part of
// the log's format: old logs must stay readable.
//
// Reading throws nlohmann::json::exception for a missing or ill-typed member, and RecordError for
// a value that makes no sense.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lab/plan/observation.h"
#include "lab/plan/plan.h"

namespace mr::lab {

using Json = nlohmann::ordered_json;

class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void ThrowNoWholeNumber(const Json& json);

// A whole number as it stands there. json.get<T>() would wrap or cut off what T cannot hold.
template <std::integral T>
T Whole(const Json& json) {
  if (json.is_number_unsigned()) {
    if (const auto value = json.get<std::uint64_t>(); std::in_range<T>(value)) return T(value);
  } else if (json.is_number_integer()) {
    if (const auto value = json.get<std::int64_t>(); std::in_range<T>(value)) return T(value);
  }
  ThrowNoWholeNumber(json);
}

template <std::integral T>
std::vector<T> WholeList(const Json& json) {
  std::vector<T> list;
  for (const Json& number : json) list.push_back(Whole<T>(number));
  return list;
}

// The trials that a log holds, to notice when one is there twice, as in logs that were joined.
class TrialNumbers {
 public:
  void Add(int trial, int attempt = 1);  // throws RecordError

 private:
  std::set<std::pair<int, int>> seen_;
};

Json ToJson(const Plan& plan);
Plan PlanFromJson(const Json& json);
// The members of a plan whose schedule is another than that of pairs: it is for the caller to
// refuse too many trials.
Plan PlanOfAnySizeFromJson(const Json& json);

Json ToJson(const Truth& truth);
Truth TruthFromJson(const Json& json);

Json ToJson(const Observation& observation);
Observation ObservationFromJson(const Json& json);

}  // namespace mr::lab
