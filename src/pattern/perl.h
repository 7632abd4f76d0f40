// What has to be known of Perl's syntax without parsing it: PCRE2 does that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mr::pattern {

// The pattern with \d and \D as classes of ASCII digits, which is what they mean to GNU grep even
// where \w knows Unicode.
std::string SpellOutDigits(std::string_view perl);

// An extended regular expression that matches in every line in which the Perl pattern does (and
// in others too), or none when the pattern uses anything but the common core of both syntaxes.
std::optional<std::string> PerlAsExtended(std::string_view perl, bool ignore_case);

}  // namespace mr::pattern
