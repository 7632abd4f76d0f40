// Under -i the C library, which GNU grep asks about some brackets, overlooks matches in lines with
// bytes that are no characters and letters whose other case has another length.
#pragma once

#include <string>

#include "differential/compare.h"
#include "differential/judge.h"

namespace differential {

// For KnownDifference.
bool FoldedLengthsPresent(const Case& test_case);
bool HoldsInvalidAndWide(const std::string& line);
bool FoldedLengthsHold(const Dispute& dispute, Judge& judge);

}  // namespace differential
