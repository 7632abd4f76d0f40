// The rooms of src/ may include each other only as the table in src/README.md says.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kLongestFileLines = 450;

using Permissions = std::map<std::string, std::set<std::string>, std::less<>>;

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path SourceRoot() { return fs::path(PROJECT_ROOT) / "src"; }

std::vector<fs::path> CodeFiles(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cc")) {
      files.push_back(entry.path());
    }
  }
  return files;
}

// "| `room/` | text | `a`, `b/c` |" -> room: {a, b/c}.
Permissions ParseMap(const std::string& text) {
  static const std::regex kRow(R"(\| `([\w/]+)/` \|[^|]*\|([^|]*)\|)");
  static const std::regex kName(R"(`([\w/]+)`)");
  Permissions permissions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch row;
    if (!std::regex_match(line, row, kRow)) continue;
    auto& allowed = permissions[row[1]];
    const std::string list = row[2];
    for (std::sregex_iterator it(list.begin(), list.end(), kName), end; it != end; ++it) {
      allowed.insert((*it)[1]);
    }
  }
  return permissions;
}

// The includes of `text`, a file of `room`, that break a rule, one sentence each.
std::vector<std::string> Violations(const Permissions& permissions, const std::string& room,
                                    const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*\"([^\"]*)\")");
  std::vector<std::string> violations;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, kInclude)) continue;
    const std::string target = match[1];
    const auto complain = [&](const std::string& why) {
      violations.push_back("line " + std::to_string(number) + ": \"" + target + "\" " + why);
    };
    const auto slash = target.rfind('/');
    if (slash == std::string::npos || target.find("..") != std::string::npos) {
      complain("is not written \"room/file.h\"");
      continue;
    }
    const std::string other = target.substr(0, slash);
    if (!permissions.contains(other)) {
      complain("is in no room of the map");
    } else if (other != room && !permissions.at(room).contains(other)) {
      complain("may not be included from " + room);
    }
  }
  return violations;
}

TEST(IncludeDirection, MapNamesExactlyTheRoomsThatExist) {
  const auto permissions = ParseMap(ReadFile(SourceRoot() / "README.md"));
  std::set<std::string> mapped;
  for (const auto& [room, allowed] : permissions) mapped.insert(room);
  std::set<std::string> present;
  for (const auto& file : CodeFiles(SourceRoot())) {
    present.insert(fs::relative(file.parent_path(), SourceRoot()).string());
  }
  EXPECT_EQ(mapped, present);
  EXPECT_TRUE(present.contains("os"));
}

TEST(IncludeDirection, MapNamesOnlyRoomsOfTheMap) {
  const auto permissions = ParseMap(ReadFile(SourceRoot() / "README.md"));
  for (const auto& [room, allowed] : permissions) {
    for (const auto& other : allowed) {
      EXPECT_TRUE(permissions.contains(other)) << other << ", which " << room << " may include";
    }
  }
}

TEST(IncludeDirection, MapHasNoCycle) {
  auto permissions = ParseMap(ReadFile(SourceRoot() / "README.md"));
  for (auto& [room, allowed] : permissions) allowed.erase(room);
  while (!permissions.empty()) {
    std::string bottom;
    for (const auto& [room, allowed] : permissions) {
      if (allowed.empty()) bottom = room;
    }
    ASSERT_FALSE(bottom.empty()) << "the remaining rooms include each other";
    permissions.erase(bottom);
    for (auto& [room, allowed] : permissions) allowed.erase(bottom);
  }
}

TEST(IncludeDirection, NoFileIncludesWhatItsRoomMayNot) {
  const auto permissions = ParseMap(ReadFile(SourceRoot() / "README.md"));
  int checked = 0;
  for (const auto& file : CodeFiles(SourceRoot())) {
    const auto relative = fs::relative(file, SourceRoot());
    const std::string room = relative.parent_path();
    ASSERT_TRUE(permissions.contains(room)) << relative << " is in no room";
    for (const auto& violation : Violations(permissions, room, ReadFile(file))) {
      ADD_FAILURE() << "src/" << relative.string() << " " << violation;
    }
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(IncludeDirection, QuotedIncludesNameFilesThatExist) {
  static const std::regex kInclude(R"#(#\s*include\s*"([^"]*)")#");
  for (const auto& file : CodeFiles(SourceRoot())) {
    const std::string text = ReadFile(file);
    for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(SourceRoot() / (*it)[1].str())) << file << ": " << (*it)[1];
    }
  }
}

TEST(IncludeDirection, CheckerSeesEachKindOfViolation) {
  const Permissions permissions{{"os", {}}, {"io", {"os"}}};
  EXPECT_TRUE(Violations(permissions, "io", "#include \"os/file.h\"\n#include <map>\n").empty());
  EXPECT_TRUE(Violations(permissions, "io", "#include \"io/block.h\"\n").empty());
  EXPECT_EQ(Violations(permissions, "os", "\n#include \"io/block.h\"\n"),
            std::vector<std::string>{"line 2: \"io/block.h\" may not be included from os"});
  EXPECT_EQ(Violations(permissions, "io", "#  include \"util/a.h\"\n"),
            std::vector<std::string>{"line 1: \"util/a.h\" is in no room of the map"});
  EXPECT_EQ(
      Violations(permissions, "io", "#include \"block.h\"\n#include \"../os/file.h\"\n").size(),
      2U);
}

// mrgrep is linked so that they are never made ready: src/app/mrgrep/standard_streams.cc.
TEST(StandardStreams, AreNotUsedByMrgrep) {
  static const std::regex kUse(R"(#\s*include\s*<iostream>|\bstd::(cin|cout|cerr|clog)\b)");
  int checked = 0;
  for (const auto& file : CodeFiles(SourceRoot())) {
    const std::string relative = fs::relative(file, SourceRoot());
    if (relative.starts_with("lab/") || relative.starts_with("app/mrbench/")) continue;
    ++checked;
    std::istringstream lines(ReadFile(file));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("//")) continue;
      EXPECT_FALSE(std::regex_search(line, kUse)) << relative << ": " << line;
    }
  }
  EXPECT_GT(checked, 10);
}

TEST(FileLength, NoFileIsTwoFiles) {
  for (const char* folder : {"src", "tests"}) {
    for (const auto& file : CodeFiles(fs::path(PROJECT_ROOT) / folder)) {
      const std::string text = ReadFile(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kLongestFileLines)
          << fs::relative(file, PROJECT_ROOT) << " holds more than one responsibility";
    }
  }
}

}  // namespace
