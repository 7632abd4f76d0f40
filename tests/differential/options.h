// What the options of a case ask for, however they are spelled.
#pragma once

#include <functional>
#include <string>

#include "differential/case.h"

namespace differential {

// The case with bundles taken apart and long spellings of what matters here made short.
Case Canonical(Case test_case);

// These take canonical cases.
bool Has(const Case& test_case, const std::string& option);  // the very one
bool ShowsSpans(const Case& test_case);                      // -o or colour
bool InUtf8(const Case& test_case);

Case Without(Case test_case, const std::function<bool(const std::string& option)>& dropped);
bool IsSpanOption(const std::string& option);
bool IsContextOption(const std::string& option);
bool IsCountLimit(const std::string& option);

// Every selected line of every file, with its name and number and nothing else, however many they
// are and whatever they hold.
Case LinesOnly(const Case& test_case);

}  // namespace differential
