#include "lab/studies/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "io/io_spec.h"
#include "os/error.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

SweepPlan SmallPlan(const std::string& directory) {
  SweepPlan plan;
  plan.sizes = SweepSizes(512, 4096, 1);
  plan.repeats = 10;
  plan.readers = {"read", "mmap"};
  plan.pattern = "absent";
  plan.directory = directory;
  return plan;
}

// A log in which a load of `read` costs 10 ns per byte and one of `mmap` 81,920 ns, with a little
// noise from round to round: they cross at 8 KiB.
StudyLog MadeUpLog(int rounds) {
  SweepPlan plan = SmallPlan("/");
  plan.sizes = SweepSizes(512, 65536, 1);
  plan.repeats = 1000;
  StudyLog log;
  log.header = {.study = "sweep",
                .started = "2025-01-31T12:00:00.000Z",
                .rounds = rounds,
                .seed = 1,
                .cells = SweepCells(plan),
                .plan = ToJson(plan),
                .environment = DescribePlace("/")};
  int trial = 0;
  for (int round = 0; round < rounds; ++round) {
    const double noise = 1 + 0.01 * std::sin(round);
    for (const std::uint64_t size : plan.sizes) {
      for (const std::string& reader : plan.readers) {
        for (const bool purge : {false, true}) {
          const double load = (reader == "read" ? 10.0 * static_cast<double>(size) : 81920) * noise;
          const double cpu = 1e6 + (purge ? 1000 : 1) * load;
          log.rows.push_back({.trial = trial++,
                              .round = round,
                              .cell = SweepCell(reader, purge, size),
                              .started = "",
                              .failure = "",
                              .figures = {{"repeats", 1000},
                                          {"wall_ns", cpu},
                                          {"cpu_ns", cpu},
                                          {"user_us", 1000},
                                          {"system_us", cpu / 1000 - 1000},
                                          {"minor_faults", purge ? 2000 : 1}}});
        }
      }
    }
  }
  return log;
}

TEST(SweepSizes, DoubleWithSizesBetween) {
  EXPECT_EQ(SweepSizes(512, 4096, 1), (std::vector<std::uint64_t>{512, 1024, 2048, 4096}));
  EXPECT_EQ(SweepSizes(512, 1024, 4), (std::vector<std::uint64_t>{512, 640, 768, 896, 1024}));
  EXPECT_EQ(SweepSizes(512, 1500, 1), (std::vector<std::uint64_t>{512, 1024, 1500}));
  EXPECT_EQ(SweepSizes(1, 2, 4), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(SweepSizes(512, 512, 1), (std::vector<std::uint64_t>{512}));
}

TEST(SweepPlan, LowersRepeatsForLargeFilesOnly) {
  SweepPlan plan;
  plan.repeats = 1000;
  plan.budget_bytes = std::uint64_t{1} << 30;
  EXPECT_EQ(plan.RepeatsFor(512), 1000);
  EXPECT_EQ(plan.RepeatsFor(1 << 20), 1000);
  EXPECT_EQ(plan.RepeatsFor(16 << 20), 64);
  EXPECT_EQ(plan.RepeatsFor(std::uint64_t{1} << 30), kLeastRepeats);
  plan.repeats = 2;
  EXPECT_EQ(plan.RepeatsFor(std::uint64_t{1} << 30), 2);
}

TEST(SweepPlan, SurvivesTheLog) {
  const SweepPlan plan = SmallPlan("/tmp");
  EXPECT_EQ(ToJson(SweepPlanFromJson(ToJson(plan))), ToJson(plan));
  Json broken = ToJson(plan);
  broken["work"] = "dance";
  EXPECT_THROW(SweepPlanFromJson(broken), RecordError);
  broken = ToJson(plan);
  broken["sizes"] = {4096, 512};
  EXPECT_THROW(SweepPlanFromJson(broken), RecordError);
}

TEST(Sweep, MeasuresEveryCellWithEveryReaderAndWork) {
  const test::TempDir directory;
  for (const WorkKind work : {WorkKind::kNone, WorkKind::kTouch, WorkKind::kSum, WorkKind::kMemcpy,
                              WorkKind::kSearch, WorkKind::kTokenize}) {
    for (const SweepBuffers buffers : {SweepBuffers::kMalloc, SweepBuffers::kPool}) {
      SweepPlan plan = SmallPlan(directory.path().string());
      plan.work = work;
      plan.buffers = buffers;
      plan.readers.push_back("read:buffer=1K");
      plan.readers.push_back("mmap:populate");
      const auto study = MakeSweep(plan);
      ProgressLine progress(stderr);
      study->Prepare(progress);
      EXPECT_EQ(study->Cells().size(), 4u * 2 * 4);
      for (std::size_t cell = 0; cell < study->Cells().size(); ++cell) {
        const Figures figures = study->Measure(cell);
        EXPECT_EQ(figures.at("repeats"), 10);
        EXPECT_GT(figures.at("wall_ns"), 0) << study->Cells()[cell];
        EXPECT_GT(figures.at("cpu_ns"), 0) << study->Cells()[cell];
      }
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path())) << "its files are gone";
}

TEST(Sweep, SaysWhereFilesCannotBeMade) {
  ProgressLine progress(stderr);
  const auto study = MakeSweep(SmallPlan("/no/such/directory"));
  EXPECT_THROW(study->Prepare(progress), os::IoError);
  SweepPlan plan = SmallPlan("/tmp");
  plan.readers = {"mmap:window=4K"};
  EXPECT_THROW(MakeSweep(plan), io::IoSpecError);
}

TEST(SweepReport, FindsTheCrossoverWithItsInterval) {
  const StudyReport report = ReportSweep(MadeUpLog(10), 4);
  const Json& crossover = report.json.at("crossover");
  EXPECT_NEAR(crossover.at("bytes").get<double>(), 8192, 100);
  EXPECT_LE(crossover.at("interval")[0].get<double>(), 8192 + 100);
  EXPECT_GE(crossover.at("interval")[1].get<double>(), 8192 - 100);
  EXPECT_EQ(report.json.at("loads").size(), 16u);
  EXPECT_THAT(report.text, HasSubstr("about 32 KiB"));  // published, beside ours
  EXPECT_THAT(report.text, HasSubstr("8.0 KiB"));
  EXPECT_EQ(report.figures.size(), 3u);
}

TEST(SweepReport, AttributesTheDifferenceToTheLoads) {
  const StudyReport report = ReportSweep(MadeUpLog(10), 4);
  for (const Json& load : report.json.at("loads")) {
    const double expected =
        load.at("reader") == "read" ? 10 * load.at("size_bytes").get<double>() : 81920;
    EXPECT_NEAR(load.at("load_cpu_ns_median").get<double>(), expected, expected * 0.02);
    EXPECT_NEAR(load.at("load_faults_median").get<double>(), 2, 0.01);
  }
}

TEST(SweepReport, SaysWhenSomethingWasNotMeasured) {
  StudyLog log = MadeUpLog(10);
  std::erase_if(log.rows, [](const StudyRow& row) { return row.cell.starts_with("mmap"); });
  const StudyReport report = ReportSweep(log, 4);
  EXPECT_TRUE(report.json.at("crossover").is_null());
  EXPECT_THAT(report.text, HasSubstr("not measured"));
  EXPECT_THAT(report.text, HasSubstr("Not complete: 160 of 320 trials"));
  EXPECT_FALSE(SweepRaw(log));
  EXPECT_EQ(report.figures.size(), 1u);
}

TEST(SweepRaw, IsWhatCrunchSubtracts) {
  const StudyLog log = MadeUpLog(10);
  const std::optional<Raw> raw = SweepRaw(log);
  ASSERT_TRUE(raw);
  const Crunched crunched = Crunch(FormatRaw(*raw));
  ASSERT_EQ(crunched.read.size(), 8u);
  // 999 loads of 64 KiB at 10 ns per byte, and of a mapping.
  EXPECT_NEAR(crunched.read[7].system_s, 999 * 65536 * 10e-9, 0.02);
  EXPECT_NEAR(crunched.mmap[7].system_s, 999 * 81920e-9, 0.02);
  EXPECT_EQ(crunched.read[7].user_s, 0);
}

TEST(SweepRaw, IsScaledToTheRepeatsThatWereAskedFor) {
  StudyLog log = MadeUpLog(4);
  SweepPlan plan = SweepPlanFromJson(log.header.plan);
  plan.budget_bytes = 65536 * 100;  // so 100 repeats for the largest
  log.header.plan = ToJson(plan);
  for (StudyRow& row : log.rows) {
    if (!row.cell.ends_with(" 65536")) continue;
    const bool purge = row.cell.find(" purge") != std::string::npos;
    const double load = row.cell.starts_with("read") ? 655360 : 81920;
    row.figures = {{"repeats", 100},      {"cpu_ns", 1e5 + (purge ? 100 : 1) * load},
                   {"user_us", 100},      {"system_us", (purge ? 100 : 1) * load / 1000},
                   {"minor_faults", 100}, {"wall_ns", 1}};
  }
  const Crunched crunched = Crunch(FormatRaw(*SweepRaw(log)));
  EXPECT_NEAR(crunched.read[7].system_s, 999 * 655360e-9, 1e-3);
}

}  // namespace
}  // namespace mr::lab
