// National locales, which the machine may lack, made from their sources.
#pragma once

#include <string>

namespace differential {

inline constexpr const char* kNationalUtf8 = "en_US.UTF-8";
inline constexpr const char* kEightBit = "en_US.ISO-8859-1";

// The environment variables that make a program run in `locale`. Where a national one cannot be
// made (no localedef, or no sources for it), C.UTF-8 or C takes its place.
struct LocaleEnvironment {
  std::string locale;
  std::string directory;  // LOCPATH, when not empty
};
LocaleEnvironment EnvironmentOf(const std::string& locale);

}  // namespace differential
