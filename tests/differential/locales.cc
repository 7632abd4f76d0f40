#include "differential/locales.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

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
    Make("en_US", "UTF-8");
    Make("en_US", "ISO-8859-1");
  }
  ~Made() {
    std::error_code ignored;
    if (!directory_.empty()) fs::remove_all(directory_, ignored);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  bool Has(const std::string& locale) const {
    return !directory_.empty() && fs::exists(directory_ / locale / "LC_CTYPE");
  }
  const fs::path& directory() const { return directory_; }

 private:
  void Make(const std::string& language, const std::string& charset) const {
    const std::string command = "localedef -i " + language + " -f " + charset + " '" +
                                (directory_ / (language + "." + charset)).string() +
                                "' >/dev/null 2>&1";
    // Whether it is there afterwards is what counts: warnings make it fail too.
    if (std::system(command.c_str()) != 0) return;
  }

  fs::path directory_;
};

}  // namespace

LocaleEnvironment EnvironmentOf(const std::string& locale) {
  if (locale == "C" || locale == "C.UTF-8") return {locale, {}};
  static const Made made;
  if (!made.Has(locale)) return {locale == kEightBit ? "C" : "C.UTF-8", {}};
  return {locale, made.directory()};
}

}  // namespace differential
