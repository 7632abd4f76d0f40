#include "differential/locales.h"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "support/make_locale.h"

namespace differential {
namespace {

namespace fs = std::filesystem;

// Made once for the process, and removed at its end.
class Made {
 public:
  Made() {
    std::string name = fs::temp_directory_path() / "differential-locales-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return;
    directory_ = name;
    for (const char* charset : {"UTF-8", "ISO-8859-1"}) {
      if (!mr::test::MakeLocale(directory_, "en_US", charset)) continue;
      made_.insert(std::string("en_US.") + charset);
    }
  }
  ~Made() {
    std::error_code ignored;
    if (!directory_.empty()) fs::remove_all(directory_, ignored);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  bool Has(const std::string& locale) const { return made_.count(locale) > 0; }
  const fs::path& directory() const { return directory_; }

 private:
  fs::path directory_;
  std::set<std::string> made_;
};

}  // namespace

LocaleEnvironment EnvironmentOf(const std::string& locale) {
  if (locale == "C" || locale == "C.UTF-8") return {locale, {}};
  static const Made made;
  if (!made.Has(locale)) return {locale == kEightBit ? "C" : "C.UTF-8", {}};
  return {locale, made.directory()};
}

}  // namespace differential
