#include "app/mrgrep/locale.h"

#include <langinfo.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

namespace mr::app {
namespace {

// The first that is set and not empty decides.
std::string_view LocaleName() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

}  // namespace

pattern::Charset AdoptLocale() {
  const std::string_view name = LocaleName();
  if (name == "C" || name == "POSIX") return pattern::Charset::kBytes;
  const char* adopted = std::setlocale(LC_CTYPE, "");
  if (adopted == nullptr || std::string_view(adopted) == "C") return pattern::Charset::kBytes;
  if (std::string_view(::nl_langinfo(CODESET)) == "UTF-8") return pattern::Charset::kUtf8;
  return pattern::Charset::kLocale;
}

}  // namespace mr::app
