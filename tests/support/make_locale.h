// National locales, which the machine may lack, made from their sources.
#pragma once

#include <filesystem>
#include <string>

namespace mr::test {

// Makes LANGUAGE.CHARSET in `directory`, for LOCPATH to name. False where it cannot be made: no
// localedef, or no sources for it (package locales).
bool MakeLocale(const std::filesystem::path& directory, const std::string& language,
                const std::string& charset);

}  // namespace mr::test
