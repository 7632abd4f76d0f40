#include "lab/studies/cost.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "io/buffer_pool.h"
#include "lab/studies/cost_passes.h"
#include "lab/studies/memory_file.h"
#include "os/error.h"
#include "os/page_cache.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCostFileBytes = 5 * 4096 + 123;

class CostTest : public ::testing::Test {
 protected:
  CostTest() {
    std::string text;
    for (int i = 0; text.size() < kCostFileBytes; ++i) text += std::to_string(i * 7919) + "\n";
    text.resize(kCostFileBytes);
    for (std::size_t at = 0; at < kCostFileBytes; at += 4096)
      page_sum_ += static_cast<unsigned char>(text[at]);
    path_ = directory_.Write("data", text);
  }
  os::File Open() const { return os::File::Open(path_, path_, AT_FDCWD); }

  test::TempDir directory_;
  std::string path_;
  std::uint64_t page_sum_ = 0;
  io::Buffer buffer_{std::size_t{1} << 20};
};

TEST_F(CostTest, EveryPassUsesOneByteOfEachPage) {
  const os::File file = Open();
  const Range all{.begin = 0, .end = kCostFileBytes};
  for (const std::size_t buffer : {512u, 1024u, 4096u, 16384u, 1u << 20}) {
    const PassCount count =
        ReadPass(file, all, buffer, buffer, {buffer_.data(), buffer}, Use::kPages);
    EXPECT_EQ(count.sum, page_sum_) << buffer;
    EXPECT_EQ(count.pages, 6u);
    EXPECT_EQ(count.bytes, kCostFileBytes);
    EXPECT_EQ(count.calls, (kCostFileBytes + buffer - 1) / buffer);
  }
  const PassCount quarter = ReadPass(file, all, 4096, 1024, {buffer_.data(), 1024}, Use::kPages);
  EXPECT_EQ(quarter.sum, page_sum_);
  EXPECT_EQ(quarter.bytes, 5u * 1024 + 123);
  for (const std::uint64_t call :
       {std::uint64_t{1}, std::uint64_t{10'000}, std::uint64_t{1} << 40}) {
    for (const Populate populate : {Populate::kNo, Populate::kMapPopulate, Populate::kMadvise}) {
      for (const io::Advice advice : {io::Advice::kNone, io::Advice::kSequential,
                                      io::Advice::kRandom, io::Advice::kWillNeed}) {
        const PassCount count = MmapPass(file, all, call, populate, advice, Use::kPages);
        EXPECT_EQ(count.sum, page_sum_) << call;
        EXPECT_EQ(count.pages, 6u);
        EXPECT_EQ(count.bytes, 0u);
      }
    }
  }
  EXPECT_EQ(MmapPass(file, all, 10'000, Populate::kNo, io::Advice::kNone, Use::kPages).calls, 2u);
}

TEST_F(CostTest, EveryPassThatUsesAllBytesFindsTheSameSum) {
  const os::File file = Open();
  const Range all{.begin = 0, .end = kCostFileBytes};
  const std::uint64_t sum =
      ReadPass(file, all, 4096, 4096, {buffer_.data(), 4096}, Use::kEveryByte).sum;
  EXPECT_EQ(ReadPass(file, all, 1 << 20, 1 << 20, {buffer_.data(), 1 << 20}, Use::kEveryByte).sum,
            sum);
  const PassCount mapped =
      MmapPass(file, all, 10'000, Populate::kNo, io::Advice::kNone, Use::kEveryByte);
  EXPECT_EQ(mapped.sum, sum);
  EXPECT_EQ(mapped.bytes, kCostFileBytes);
}

TEST_F(CostTest, ThreadsShareAPassWithoutOverlap) {
  const os::File file = Open();
  for (const unsigned threads : {1u, 2u, 3u, 7u, 20u}) {
    const PassCount count =
        Parallel({.begin = 0, .end = kCostFileBytes}, threads, [&](Range range, unsigned worker) {
          return ReadPass(file, range, 4096, 4096, {buffer_.data() + worker * 4096, 4096},
                          Use::kPages);
        });
    EXPECT_EQ(count.sum, page_sum_) << threads;
    EXPECT_EQ(count.bytes, kCostFileBytes);
  }
  EXPECT_THROW(Parallel({.begin = 0, .end = kCostFileBytes}, 2,
                        [](Range, unsigned) -> PassCount { throw os::IoError("f", "gone"); }),
               os::IoError);
}

TEST_F(CostTest, DeepPassesReadTheSame) {
  const os::File file = Open();
  for (const bool direct : {false, true}) {
    for (const unsigned depth : {1u, 2u, 4u}) {
      try {
        const PassCount count = DeepPass(file, {.begin = 0, .end = kCostFileBytes}, direct, depth,
                                         {buffer_.data(), depth * 8192});
        EXPECT_EQ(count.sum, page_sum_);
        EXPECT_EQ(count.bytes, kCostFileBytes);
      } catch (const os::IoError& refusal) {
        std::cout << "missing here: " << (direct ? "direct IO" : "io_uring") << " ("
                  << refusal.what() << ")\n";
      }
    }
  }
}

TEST_F(CostTest, APassOverAFileThatShrinksFails) {
  const os::File file = Open();
  std::filesystem::resize_file(path_, 4096);
  const Range all{.begin = 0, .end = kCostFileBytes};
  EXPECT_THROW(ReadPass(file, all, 4096, 4096, {buffer_.data(), 4096}, Use::kPages), os::IoError);
  EXPECT_THROW(MmapPass(file, all, 1 << 20, Populate::kNo, io::Advice::kNone, Use::kPages),
               os::IoError);
}

TEST_F(CostTest, MemoryFilesHoldTheFile) {
  const os::File file = Open();
  for (const MemoryFileKind kind : {MemoryFileKind::kTmpfs, MemoryFileKind::kTmpfsHuge,
                                    MemoryFileKind::kMemfd, MemoryFileKind::kMemfdHuge}) {
    try {
      const MemoryFile copy(kind, file, kCostFileBytes);
      EXPECT_EQ(copy.size_bytes(), kCostFileBytes);
      const Range all{.begin = 0, .end = kCostFileBytes};
      EXPECT_EQ(ReadPass(copy.file(), all, 4096, 4096, {buffer_.data(), 4096}, Use::kPages).sum,
                page_sum_);
      EXPECT_EQ(MmapPass(copy.file(), all, 1 << 20, Populate::kNo, io::Advice::kNone, Use::kPages,
                         copy.wants_huge())
                    .sum,
                page_sum_);
    } catch (const os::IoError& refusal) {
      EXPECT_NE(kind, MemoryFileKind::kMemfd) << refusal.what();
      std::cout << "missing here: " << refusal.what() << "\n";
    }
  }
}

TEST_F(CostTest, MeasuresEveryCell) {
  const CostPlan plan =
      MakeCostPlan(path_, std::nullopt, directory_.path().string(), kCostFileBytes, 2);
  EXPECT_EQ(ToJson(CostPlanFromJson(ToJson(plan))), ToJson(plan));
  const auto study = MakeCost(plan);
  ProgressLine progress(stderr);
  study->Prepare(progress);
  const std::vector<std::string> cells = study->Cells();
  EXPECT_EQ(std::set<std::string>(cells.begin(), cells.end()).size(), cells.size());
  const bool visible = os::MeasureResidency(path_).resident_pages.has_value();
  const bool evictable = os::Evict(directory_.Write("other", "data")).verified_empty();
  if (!visible || !evictable) std::cout << "missing here: a file system with cachestat\n";
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (!visible || (!evictable && cells[cell].starts_with("cached"))) continue;
    const Figures figures = study->Measure(cell);
    EXPECT_GT(figures.at("wall_ns"), 0) << cells[cell];
    EXPECT_EQ(figures.at("span_bytes"), static_cast<double>(kCostFileBytes)) << cells[cell];
    EXPECT_EQ(figures.at("pages"), 6) << cells[cell];
  }
}

TEST_F(CostTest, SaysWhatIsWrongWithTheFile) {
  const auto error = [&](const std::string& path,
                         std::optional<std::uint64_t> bytes) -> std::string {
    try {
      MakeCostPlan(path, bytes, directory_.path().string(), kCostFileBytes, 2);
    } catch (const os::IoError& failure) {
      return failure.reason();
    }
    return "";
  };
  EXPECT_EQ(error("/no/such", {}), "No such file or directory");
  EXPECT_EQ(error(directory_.path().string(), {}), "Is a directory");
  EXPECT_EQ(error("/dev/null", {}), "not a regular file");
  EXPECT_EQ(error(directory_.Write("empty", ""), {}), "the file is empty");
  EXPECT_EQ(error(path_, kCostFileBytes + 1),
            "has only " + std::to_string(kCostFileBytes) + " bytes");
}

TEST_F(CostTest, ReportComparesWithWhatWasPublished) {
  StudyLog log;
  const CostPlan plan{.file = path_,
                      .bytes = 1'000'000'000,
                      .directory = "/",
                      .part_bytes = 1,
                      .threads = 2,
                      .unavailable = {{"memfd hugetlb", "no pages are reserved"}}};
  log.header = {.study = "cost",
                .started = "2025-01-31T12:00:00.000Z",
                .rounds = 1,
                .seed = 1,
                .cells = {MmapCell(1'000'000'000, ""), MmapCell(10'000, ""), ReadCell(65536)},
                .plan = ToJson(plan),
                .environment = DescribePlace("/")};
  int trial = 0;
  const auto add = [&](const std::string& cell, double ms, double faults) {
    log.rows.push_back({.trial = trial++,
                        .round = 0,
                        .cell = cell,
                        .started = "",
                        .failure = "",
                        .figures = {{"wall_ns", ms * 1e6},
                                    {"cpu_ns", ms * 1e6},
                                    {"user_us", 1},
                                    {"system_us", 1},
                                    {"minor_faults", faults},
                                    {"major_faults", 0},
                                    {"disk_bytes", 0},
                                    {"span_bytes", 1e9},
                                    {"moved_bytes", 0},
                                    {"calls", 1},
                                    {"pages", 244141}}});
  };
  add(MmapCell(1'000'000'000, ""), 80, 7630);
  add(MmapCell(10'000, ""), 200, 80000);
  add(ReadCell(65536), 100, 0);
  const StudyReport report = ReportCost(log);
  EXPECT_THAT(report.text, HasSubstr("about 100 ms"));
  EXPECT_THAT(report.text, HasSubstr("80 ms (80 .. 80)"));
  EXPECT_THAT(report.text, HasSubstr("+150 %"));
  EXPECT_THAT(report.text, HasSubstr("not here memfd hugetlb: no pages are reserved"));
  EXPECT_THAT(report.text, HasSubstr("100 ms (100 .. 100), buffer 64K"));
  EXPECT_EQ(report.json.at("figures").at(ReadCell(65536)).at("wall_ns_median"), 100e6);
}

}  // namespace
}  // namespace mr::lab
