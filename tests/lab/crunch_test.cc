#include "lab/studies/crunch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace mr::lab {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRaw =
    "512 1.5 0.25\n1024 2.0 0.5\n"
    "\n\n"
    "512 1.5 0.25\n1024 2.0 0.5\n"
    "\n\n"
    "512 2.25 1.25\n1024 2.125 1.75\n"
    "\n\n"
    "512 1.25 1.0\n1024 2.5 0.25\n";

std::string ErrorOf(const std::string& raw) {
  try {
    Crunch(raw);
  } catch (const CrunchError& error) {
    return error.what();
  }
  return "";
}

TEST(Crunch, SubtractsWithFileCacheFromWithoutAndNeverGoesBelowZero) {
  EXPECT_EQ(FormatCrunched(Crunch(kRaw)),
            "0.5 0.75 1.00\n1.0 0.12 1.25\n"
            "\n\n"
            "0.5 0.00 0.75\n1.0 0.50 0.00\n");
}

TEST(Crunch, AcceptsWhatTheScriptAccepts) {
  const std::string raw = kRaw;
  // Without a last newline, with empty lines at the end, and with anything behind those.
  EXPECT_EQ(FormatCrunched(Crunch(raw.substr(0, raw.size() - 1))), FormatCrunched(Crunch(raw)));
  EXPECT_EQ(FormatCrunched(Crunch(raw + "\n")), FormatCrunched(Crunch(raw)));
  EXPECT_EQ(FormatCrunched(Crunch(raw + "\n\nmore\n")), FormatCrunched(Crunch(raw)));
}

TEST(Crunch, ReadsWhatIsWrittenRaw) {
  Raw raw;
  for (std::size_t block = 0; block < raw.size(); ++block) {
    for (const double size : {512.0, 768.0, 1048576.0}) {
      raw[block].push_back({.size_bytes = size,
                            .user_s = static_cast<double>(block) * 0.25,
                            .system_s = static_cast<double>(block) * 0.5});
    }
  }
  const std::string text = FormatRaw(raw);
  EXPECT_THAT(text, ::testing::StartsWith("512 0.000000 0.000000\n768 "));
  const Crunched crunched = Crunch(text);
  ASSERT_EQ(crunched.mmap.size(), 3u);
  EXPECT_DOUBLE_EQ(crunched.read[2].size_bytes, 1048576);
  EXPECT_DOUBLE_EQ(crunched.read[0].user_s, 0.5);
  EXPECT_DOUBLE_EQ(crunched.mmap[1].system_s, 1.0);
}

TEST(Crunch, RefusesInputThatIsNotFourBlocks) {
  EXPECT_EQ(ErrorOf(""), "mangled input");
  EXPECT_EQ(ErrorOf("512 1 1\n\n512 1 1\n"), "mangled input");  // one empty line
  EXPECT_EQ(ErrorOf("512 1 1\n"), "vectors not all equal");
  EXPECT_EQ(ErrorOf("512 1 1\n\n\n512 1 1\n\n\n512 1 1\n"), "vectors not all equal");
  EXPECT_EQ(ErrorOf("512 1 1\n\n\n512 1 1\n\n\n512 1 1\n\n\n512 1 1\n1024 1 1\n"),
            "vectors not all equal");
}

TEST(Crunch, NamesThePlaceOfWhatDoesNotFit) {
  const auto with = [](const std::string& last) {
    return "1 1 1\n2 1 1\n\n\n1 1 1\n2 1 1\n\n\n1 1 1\n2 1 1\n\n\n1 1 1\n" + last + "\n";
  };
  EXPECT_EQ(ErrorOf(with("2 1 1")), "");
  EXPECT_EQ(ErrorOf(with("3 1 1")), "mismatched sizes, index 1");
  EXPECT_EQ(ErrorOf(with("2 1")), "wrong number of fields, index 1");
  EXPECT_EQ(ErrorOf(with("2 1 1 1")), "wrong number of fields, index 1");
  EXPECT_EQ(ErrorOf(with("2 1  1")), "wrong number of fields, index 1");
  EXPECT_EQ(ErrorOf(with("2 1 much")), "not a number, index 1");
  EXPECT_EQ(ErrorOf(with("2 1 nan")), "not a number, index 1");
  EXPECT_EQ(ErrorOf("2 1 1\n1 1 1\n\n\n2 1 1\n1 1 1\n\n\n2 1 1\n1 1 1\n\n\n2 1 1\n1 1 1\n"),
            "sizes out of order, index 1");
  EXPECT_EQ(ErrorOf("0 1 1\n\n\n0 1 1\n\n\n0 1 1\n\n\n0 1 1\n"), "sizes out of order, index 0");
}

TEST(Crossover, LiesWhereTheLogarithmsMeet) {
  const Crossover crossover = FindCrossover({1024, 4096, 16384}, {1, 2, 8}, {2, 4, 4});
  ASSERT_TRUE(crossover.size_bytes);
  EXPECT_DOUBLE_EQ(*crossover.size_bytes, 8192);  // from half to double: in the middle
  EXPECT_EQ(crossover.below_bytes, 4096);
  EXPECT_EQ(crossover.above_bytes, 16384);
}

TEST(Crossover, IsTheLastOneWhenCurvesMeetMoreThanOnce) {
  const Crossover crossover = FindCrossover({1, 2, 4, 8}, {3, 1, 1, 4}, {1, 2, 2, 2});
  ASSERT_TRUE(crossover.size_bytes);
  EXPECT_EQ(crossover.below_bytes, 4);
}

TEST(Crossover, SaysWhenThereIsNone) {
  const Crossover read_wins = FindCrossover({1, 2}, {1, 1}, {2, 2});
  EXPECT_FALSE(read_wins.size_bytes);
  EXPECT_EQ(read_wins.always, "read");
  const Crossover mmap_wins = FindCrossover({1, 2}, {2, 2}, {1, 1});
  EXPECT_FALSE(mmap_wins.size_bytes);
  EXPECT_EQ(mmap_wins.always, "mmap");
}

TEST(Crossover, CopesWithCostsOfZero) {
  const Crossover crossover = FindCrossover({1, 2}, {0, 1}, {0, 0});
  ASSERT_TRUE(crossover.size_bytes);
  EXPECT_GE(*crossover.size_bytes, 1);
  EXPECT_LE(*crossover.size_bytes, 2);
}

TEST(CrunchFigure, HasALogarithmicAxisAndIsClippedOnRequest) {
  const Crunched crunched = Crunch(kRaw);
  const StudyFigure whole = CrunchFigure(crunched, std::nullopt);
  const StudyFigure clipped = CrunchFigure(crunched, 4);
  EXPECT_EQ(whole.name, "bench");
  EXPECT_EQ(clipped.name, "benchclip");
  EXPECT_THAT(whole.script, HasSubstr("set logscale x"));
  EXPECT_THAT(whole.script, HasSubstr("set yrange [0:*]"));
  EXPECT_THAT(clipped.script, HasSubstr("set yrange [0:4]"));
}

}  // namespace
}  // namespace mr::lab
