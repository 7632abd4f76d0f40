#include "support/make_locale.h"

#include <cstdlib>

namespace mr::test {

bool MakeLocale(const std::filesystem::path& directory, const std::string& language,
                const std::string& charset) {
  const std::string made = directory / (language + "." + charset);
  // Whether it is there afterwards is what counts: warnings make localedef fail too.
  const std::string command = "mkdir -p '" + directory.string() + "' && localedef -i " + language +
                              " -f " + charset + " '" + made + "' >/dev/null 2>&1; test -e '" +
                              made + "/LC_CTYPE'";
  return std::system(command.c_str()) == 0;
}

}  // namespace mr::test
