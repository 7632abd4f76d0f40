// What a report may say in words: only what an interval allows. Pure.
#pragma once

#include <string>
#include <vector>

#include "lab/analysis/analysis.h"
#include "lab/plan/plan.h"

namespace mr::lab {

// "27 % less", "3.1 % more", "2.4 times as much".
std::string ChangeInWords(double ratio);

// A sentence for each pair of different arms. With too few blocks there is only the one sentence
// that says so.
std::vector<std::string> Conclude(const Plan& plan, const Report& report);

}  // namespace mr::lab
