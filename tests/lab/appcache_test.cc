#include "lab/studies/appcache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "os/error.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

class AppcacheTest : public ::testing::Test {
 protected:
  AppcacheTest() {
    std::filesystem::create_directories(directory_.path() / "b" / "c");
    directory_.Write("a", "needle here\nnot there\n");
    directory_.Write("b/empty", "");
    directory_.Write("b/c/long", std::string(700, 'x') + " needle " + std::string(9000, 'y'));
    directory_.Write("b/many", Many());
    std::filesystem::create_symlink("a", directory_.path() / "link");
    std::filesystem::create_directory_symlink("b", directory_.path() / "b2");
  }
  static std::string Many() {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += i % 100 == 0 ? "a needle\n" : "some hay in the stack\n";
    return text;
  }
  AppcachePlan Plan() const {
    AppcachePlan plan = MakeAppcachePlan(directory_.path().string());
    plan.pattern = "needle";
    return plan;
  }
  test::TempDir directory_;
};

TEST_F(AppcacheTest, ListsRegularFilesInOrder) {
  const std::vector<TreeFile> files = ListTree(directory_.path().string());
  std::vector<std::string> names;
  for (const TreeFile& file : files) {
    names.push_back(std::filesystem::relative(file.path, directory_.path()).string());
    EXPECT_EQ(file.size_bytes, std::filesystem::file_size(file.path));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b/c/long", "b/empty", "b/many"}));
}

TEST_F(AppcacheTest, RefusesTreesThatHoldNothing) {
  const auto error = [](const std::string& path) -> std::string {
    try {
      MakeAppcachePlan(path);
    } catch (const os::IoError& failure) {
      return failure.what();
    }
    return "";
  };
  const std::string empty = (directory_.path() / "b" / "nothing").string();
  std::filesystem::create_directory(empty);
  EXPECT_EQ(error(empty), empty + ": no files in it");
  std::filesystem::copy_file(directory_.path() / "b" / "empty",
                             directory_.path() / "b" / "nothing" / "empty");
  EXPECT_EQ(error(empty), empty + ": all files in it are empty");
  EXPECT_EQ(error("/no/such"), "/no/such: No such file or directory");
  EXPECT_EQ(error((directory_.path() / "a").string()),
            (directory_.path() / "a").string() + ": Not a directory");
}

TEST_F(AppcacheTest, MeasuresEveryCellOverAllFiles) {
  const AppcachePlan plan = Plan();
  EXPECT_EQ(plan.files, 4u);
  const auto study = MakeAppcache(plan);
  ProgressLine progress(stderr);
  study->Prepare(progress);
  const std::vector<std::string> cells = study->Cells();
  std::map<std::string, Figures> all;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) all[cells[cell]] = study->Measure(cell);
  for (const std::string_view pass :
       {kKernelCell, kApplicationCell, kMmapCell, kCopyCell, kMmapCopyCell, kSearchKernelCell,
        kSearchApplicationCell, kSearchMmapCell}) {
    const Figures& figures = all.at(std::string(pass));
    EXPECT_EQ(figures.at("opens"), 4) << pass;
    EXPECT_EQ(figures.at("closes"), 4) << pass;
    EXPECT_EQ(figures.at("bytes"), static_cast<double>(plan.bytes)) << pass;
    if (pass.starts_with("search")) {
      EXPECT_EQ(figures.at("lines"), 32) << pass;
    }
  }
  const Figures& load = all.at(std::string(kLoadCell));
  EXPECT_EQ(load.at("pool_asked_bytes"), static_cast<double>(plan.bytes));
  EXPECT_GE(load.at("pool_used_bytes"), load.at("pool_asked_bytes"));
  EXPECT_GE(load.at("pool_mapped_bytes"), load.at("pool_used_bytes"));
  for (const double share : plan.short_shares) {
    for (const AccessPattern pattern :
         {AccessPattern::kCyclic, AccessPattern::kRandom, AccessPattern::kSkewed}) {
      const Figures& figures = all.at(ShortCell(share, pattern));
      EXPECT_EQ(figures.at("hits") + figures.at("misses"), 4);
      EXPECT_LE(figures.at("pool_mapped_bytes"), figures.at("limit_bytes"));
    }
  }
}

TEST_F(AppcacheTest, NoticesFilesThatVanishGrowOrShrink) {
  const auto study = MakeAppcache(Plan());
  ProgressLine progress(stderr);
  study->Prepare(progress);
  const std::vector<std::string> cells = study->Cells();
  const auto measure = [&](std::string_view name) {
    const auto found = std::find(cells.begin(), cells.end(), name);
    return study->Measure(static_cast<std::size_t>(found - cells.begin()));
  };
  EXPECT_NO_THROW(measure(kKernelCell));
  directory_.Write("b/many", Many() + "more\n");
  EXPECT_THROW(measure(kKernelCell), os::IoError);
  EXPECT_THROW(measure(kLoadCell), os::IoError);
  directory_.Write("b/many", "less\n");
  EXPECT_THROW(measure(kSearchMmapCell), os::IoError);
  std::filesystem::remove(directory_.path() / "b" / "many");
  EXPECT_THROW(measure(kKernelCell), os::IoError);
  EXPECT_THROW(measure(kMmapCell), os::IoError);
}

TEST_F(AppcacheTest, DoesNotGoOnWithAnotherTree) {
  const auto study = MakeAppcache(Plan());
  directory_.Write("new", "file");
  ProgressLine progress(stderr);
  EXPECT_THROW(study->Prepare(progress), os::IoError);
}

TEST(Accesses, AreCyclicRandomOrSkewed) {
  constexpr std::size_t kFiles = 100;
  constexpr std::size_t kCount = 20000;
  const auto cyclic = MakeAccesses(AccessPattern::kCyclic, kFiles, 250, 1);
  for (std::size_t i = 0; i < cyclic.size(); ++i) EXPECT_EQ(cyclic[i], i % kFiles);

  const auto counts = [&](AccessPattern pattern) {
    std::vector<int> result(kFiles, 0);
    for (const std::uint32_t access : MakeAccesses(pattern, kFiles, kCount, 3)) ++result.at(access);
    std::sort(result.rbegin(), result.rend());
    return result;
  };
  const std::vector<int> random = counts(AccessPattern::kRandom);
  EXPECT_LT(random.front(), 300);  // 200 expected
  EXPECT_GT(random.back(), 120);
  // Zipf over 100 files: the first gets 1 / H(100) = 0.193 of all, the second half of that.
  const std::vector<int> skewed = counts(AccessPattern::kSkewed);
  EXPECT_NEAR(skewed[0], 0.193 * kCount, 300);
  EXPECT_NEAR(skewed[1], 0.0964 * kCount, 300);
  EXPECT_EQ(MakeAccesses(AccessPattern::kSkewed, kFiles, 50, 9),
            MakeAccesses(AccessPattern::kSkewed, kFiles, 50, 9));
}

TEST_F(AppcacheTest, ReportSetsThePublishedFiguresBesideOurs) {
  const AppcachePlan plan = Plan();
  StudyLog log;
  log.header = {.study = "appcache",
                .started = "2025-01-31T12:00:00.000Z",
                .rounds = 1,
                .seed = 1,
                .cells = MakeAppcache(plan)->Cells(),
                .plan = ToJson(plan),
                .environment = DescribePlace("/")};
  int trial = 0;
  const auto add = [&](std::string_view cell, double ms) {
    log.rows.push_back({.trial = trial++,
                        .round = 0,
                        .cell = std::string(cell),
                        .started = "",
                        .failure = "",
                        .figures = {{"wall_ns", ms * 1e6},
                                    {"cpu_ns", ms * 1e6},
                                    {"user_us", 1},
                                    {"system_us", 1},
                                    {"minor_faults", 0},
                                    {"opens", 4},
                                    {"closes", 4}}});
  };
  add(kKernelCell, 900);
  add(kApplicationCell, 200);
  const StudyReport report = ReportAppcache(log);
  EXPECT_THAT(report.text, HasSubstr("15253 ms"));
  EXPECT_THAT(report.text, HasSubstr("2784 ms"));
  EXPECT_THAT(report.text, HasSubstr("4.50"));
  EXPECT_DOUBLE_EQ(report.json.at("kernel_over_application").get<double>(), 4.5);
}

}  // namespace
}  // namespace mr::lab
