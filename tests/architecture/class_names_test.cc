// Two classes of one name in a namespace are one to the linker, which keeps the inline functions
// and templates of either for both, without a word.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

// Definitions in headers, which stand at the beginning of a line; what is nested or declared ahead
// does not.
TEST(ClassNames, AreDefinedOnceInARoom) {
  static const std::regex kDefinition(
      R"(^(?:struct|class|enum class) ([A-Za-z]+)(?: final)?(?: : [^;]*)? \{)");
  std::map<std::string, std::string> header_of;  // "room/Name"
  for (const auto& entry : fs::recursive_directory_iterator(PROJECT_ROOT "/src")) {
    if (entry.path().extension() != ".h") continue;
    const std::string room = *fs::relative(entry.path(), PROJECT_ROOT "/src").begin();
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, kDefinition)) continue;
      const auto [first, is_new] =
          header_of.emplace(room + "/" + match[1].str(), entry.path().filename());
      EXPECT_TRUE(is_new) << first->first << " is in " << first->second << " and in "
                          << entry.path().filename();
    }
  }
  EXPECT_GT(header_of.size(), 50U);
}

}  // namespace
