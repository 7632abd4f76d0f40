#include "lab/report/report.h"

#include <gtest/gtest.h>

#include "sample_observations.h"

namespace mr::lab {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

LogContents SampleLog() {
  LogContents log;
  log.header.plan = TwoArms(2);
  log.header.plan.memory_bytes = 512 << 10;
  log.header.truth = {.matches = 3, .source = "--expect"};
  log.header.started = "2025-01-31T12:00:00.000Z";
  log.header.environment = Json::object();
  log.observations = Observe(log.header.plan, [](const Trial& trial) {
    if (IsPair(trial, 0, 1)) return 56.64 + 0.25 * trial.block;
    return 78.0;
  });
  return log;
}

std::string Format(ReportFormat format, const LogContents& log) {
  return FormatReport(format, log, Analyze(log.header.plan, log.observations));
}

TEST(TextReport, ListsTrialsInTheLayoutOfBsdTimeUnderATitlePerPair) {
  const std::string text = Format(ReportFormat::kText, SampleLog());
  EXPECT_TRUE(Contains(text,
                       "\nmmap followed by read:\n"
                       "mr     56.64 real         0.12 user         0.34 sys\n"
                       "mr     56.89 real         0.12 user         0.34 sys\n"))
      << text;
  EXPECT_TRUE(Contains(text, "\nread followed by read:\nrr     78.00 real"));
}

TEST(TextReport, HasARowPerOrderedPairAndWarnsThatFewBlocksProveNothing) {
  const std::string text = Format(ReportFormat::kText, SampleLog());
  EXPECT_TRUE(Contains(text, "mr    mmap followed by read  2  56.765")) << text;
  EXPECT_TRUE(Contains(text, "976.6K")) << text;
  EXPECT_TRUE(Contains(text, "0.728")) << text;
  EXPECT_TRUE(Contains(text, "* fewer than 6 blocks"));
  EXPECT_TRUE(Contains(text, "No conclusion from 2 complete blocks"));
  EXPECT_TRUE(Contains(text, "the data is 2.00 times that"));
}

TEST(TextReport, ShowsWhatDoesNotCountAndWhatIsMissing) {
  LogContents log = SampleLog();
  log.observations.pop_back();
  log.cut = true;
  log.observations[2].outcome = Outcome::kWrongCount;
  log.observations[2].reason = "2 lines selected, 3 expected by --expect";
  const std::string text = Format(ReportFormat::kText, log);
  EXPECT_TRUE(Contains(text, "1 of 9 trials do not count:\n  trial 3 (block 1, ")) << text;
  EXPECT_TRUE(Contains(text, "wrong count: 2 lines selected, 3 expected by --expect\n"));
  EXPECT_TRUE(Contains(text, "Not complete: 9 of 10 trials are in the log.\n"));
  EXPECT_TRUE(
      Contains(text, "The log is cut in the middle of its last line, which was dropped.\n"));
  EXPECT_TRUE(Contains(text, "1 not counted, see below"));
}

TEST(Reports, OfAnEmptyLogStillHaveTheirTables) {
  LogContents log = SampleLog();
  log.observations.clear();
  for (const ReportFormat format :
       {ReportFormat::kText, ReportFormat::kMarkdown, ReportFormat::kCsv, ReportFormat::kJson}) {
    EXPECT_TRUE(Contains(Format(format, log), "read"));
  }
}

TEST(CsvReport, HasAsManyFieldsInEveryLine) {
  const std::string text = Format(ReportFormat::kCsv, SampleLog());
  std::size_t begin = 0;
  std::vector<long> commas;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    commas.push_back(std::count(text.begin() + static_cast<long>(begin),
                                text.begin() + static_cast<long>(end), ','));
    begin = end + 1;
  }
  ASSERT_EQ(commas.size(), 1u + 4 + 2);
  for (const long count : commas) EXPECT_EQ(count, commas[0]);
}

TEST(JsonReport, HoldsTheSameFigures) {
  const Json json = Json::parse(Format(ReportFormat::kJson, SampleLog()));
  EXPECT_EQ(json.at("pairs").size(), 4u);
  EXPECT_DOUBLE_EQ(json.at("pairs")[1].at("real_s").at("median").get<double>(), 56.765);
  EXPECT_EQ(json.at("pairs")[1].at("real_carry_over").at("interval"), nullptr);
  EXPECT_EQ(json.at("conclusions").size(), 1u);
}

TEST(Table, IsAlignedByCharactersAndEscapedWhereNeeded) {
  const Table table{.header = {"arm", "n"}, .rows = {{"größe", "1"}, {"a,\"b\"|c", "12"}}};
  EXPECT_EQ(ToText(table), "arm       n\ngröße     1\na,\"b\"|c  12\n");
  EXPECT_EQ(ToCsv(table), "arm,n\ngröße,1\n\"a,\"\"b\"\"|c\",12\n");
  EXPECT_EQ(ToMarkdown(table),
            "| arm | n |\n| --- | ---: |\n| größe | 1 |\n| a,\"b\"\\|c | 12 |\n");
}

}  // namespace
}  // namespace mr::lab
