// How many lines a plan's pattern selects in its file, before any trial runs.
#pragma once

#include <optional>
#include <string_view>

#include "lab/data/set.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// What the data's sidecar says, when it is about this pattern: the pattern is the needle and, read
// as a regular expression of any kind, stands for itself.
std::optional<Truth> TruthFromSidecar(const DataSidecar& sidecar, std::string_view pattern);

// Whether `text` has no character that is special in some kind of regular expression.
bool IsPlainText(std::string_view text);

}  // namespace mr::lab
