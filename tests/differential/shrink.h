// Makes a failing case as small as it goes while it still fails.
#pragma once

#include <functional>

#include "differential/case.h"

namespace differential {

// `fails` must hold for `test_case`. Greedy: drops options, operands, files, patterns, then
// halves, quarters, ... single bytes of patterns and files (the delta debugging of Zeller and
// Hildebrandt, 2002), until nothing more can go or `fails` was asked `budget` times.
Case Shrink(Case test_case, const std::function<bool(const Case&)>& fails, int budget = 3000);

}  // namespace differential
