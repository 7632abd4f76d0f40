// The manual pages pass mandoc's own linter and agree with what the programs print.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "documents/shell.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> ManualPages() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(fs::path(PROJECT_ROOT) / "man")) {
    pages.push_back(entry.path());
  }
  return pages;
}

TEST(ManualPages, BothProgramsHaveOne) {
  EXPECT_TRUE(fs::exists(fs::path(PROJECT_ROOT) / "man" / "mrgrep.1"));
  EXPECT_TRUE(fs::exists(fs::path(PROJECT_ROOT) / "man" / "mrbench.1"));
}

TEST(ManualPages, EachNamesTheOthersUnderSeeAlso) {
  for (const auto& page : ManualPages()) {
    const std::string text = documents::ReadFile(page);
    const std::size_t begin = text.find("\n.Sh SEE ALSO\n");
    ASSERT_NE(begin, std::string::npos) << page;
    const std::string see_also = text.substr(begin, text.find("\n.Sh ", begin + 1) - begin);
    for (const auto& other : ManualPages()) {
      if (other == page) continue;
      const std::string name = other.stem().string() + " " + other.extension().string().substr(1);
      EXPECT_NE(see_also.find("\n.Xr " + name), std::string::npos) << page << ": " << name;
    }
  }
}

TEST(ManualPages, LintFindsNothing) {
  for (const auto& page : ManualPages()) {
    const auto result = documents::Shell("mandoc -Tlint -W warning '" + page.string() + "' 2>&1");
    EXPECT_EQ(result.status, 0) << page << " (127: mandoc is missing, see scripts/test)";
    EXPECT_EQ(result.output, "") << page;
  }
}

TEST(ManualPages, LinterIsNotFooled) {
  const auto result =
      documents::Shell("printf '.Dd today\\n.Sh NAMES\\n.Xx\\n' | mandoc -Tlint -W warning 2>&1");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output, "");
}

}  // namespace
