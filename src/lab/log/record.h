// Plans and observations as JSON, one object to a line of the log, and back. The names are part of
// the log's format: old logs must stay readable.
//
// Reading throws nlohmann::json::exception for a missing or ill-typed member, and RecordError for
// a value that makes no sense.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/plan/observation.h"
#include "lab/plan/plan.h"

namespace mr::lab {

using Json = nlohmann::ordered_json;

class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Json ToJson(const Plan& plan);
Plan PlanFromJson(const Json& json);

Json ToJson(const Truth& truth);
Truth TruthFromJson(const Json& json);

Json ToJson(const Observation& observation);
Observation ObservationFromJson(const Json& json);

}  // namespace mr::lab
