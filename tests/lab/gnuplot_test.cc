#include "lab/report/gnuplot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "os/error.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kScript =
    "$d << EOD\n1 2\n2 4\nEOD\nset title 'A title'\nplot $d with lines\n";

bool GnuplotIsHere() {
  os::Command command;
  command.arguments = {"gnuplot", "--version"};
  command.output = os::Stream::Null();
  if (os::Run(command).succeeded()) return true;
  std::cout << "missing here: gnuplot\n";
  return false;
}

std::string ErrorOf(const std::string& script, const std::string& path) {
  try {
    DrawFigure(script, path);
  } catch (const os::IoError& error) {
    return error.what();
  }
  return "";
}

TEST(Gnuplot, DrawsSvgAndPng) {
  if (!GnuplotIsHere()) {
    EXPECT_THAT(ErrorOf(kScript, "/tmp/never.svg"), HasSubstr("gnuplot, which cannot be run"));
    return;
  }
  const test::TempDir directory;
  const std::string svg = (directory.path() / "it's a figure.svg").string();
  EXPECT_EQ(ErrorOf(kScript, svg), "");
  EXPECT_THAT(os::ReadText(svg).value(), HasSubstr("A title"));
  const std::string png = (directory.path() / "figure.png").string();
  EXPECT_EQ(ErrorOf(kScript, png), "");
  EXPECT_THAT(os::ReadText(png).value(), StartsWith("\x89PNG"));
}

TEST(Gnuplot, LeavesNothingBehindWhenItFails) {
  if (!GnuplotIsHere()) return;
  const test::TempDir directory;
  const std::string path = (directory.path() / "figure.svg").string();
  EXPECT_THAT(ErrorOf("plot nonsense(", path), HasSubstr("gnuplot failed: "));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_NE(ErrorOf(kScript, (directory.path() / "missing" / "figure.svg").string()), "");
}

TEST(Gnuplot, KnowsFiguresByTheEndOfTheirName) {
  EXPECT_THAT(ErrorOf(kScript, "figure.gif"), HasSubstr("figures are .svg or .png"));
}

TEST(Plot, LeavesOutSeriesWithoutPoints) {
  Plot plot;
  EXPECT_EQ(plot.Script("set grid\n"), "");
  plot.Add("", "with lines", "nothing");
  plot.Add("1 2\n2 3\n", "with lines", "something");
  const std::string script = plot.Script("set grid\n", {"x with lines"});
  EXPECT_THAT(script, ::testing::Not(HasSubstr("nothing")));
  EXPECT_THAT(script, HasSubstr("plot $series0 with lines title 'something', x with lines\n"));
  if (!GnuplotIsHere()) return;
  const test::TempDir directory;
  EXPECT_EQ(ErrorOf(script, (directory.path() / "figure.svg").string()), "");
}

TEST(Gnuplot, QuotesQuotes) { EXPECT_EQ(GnuplotQuote("it's"), "'it''s'"); }

// A log may come from anywhere, and names of files may hold anything.
TEST(Gnuplot, TakesNoNameForACommand) {
  EXPECT_EQ(GnuplotQuote("a\nb\tc\x01"), "'a b c '");
  if (!GnuplotIsHere()) return;
  const test::TempDir directory;
  const std::string ran = directory.path() / "ran";
  const std::string name = "x\nsystem 'touch " + ran + "'\n#";
  Plot plot;
  plot.Add("1 2\n2 3\n", "with lines", name);
  EXPECT_EQ(ErrorOf(plot.Script(""), directory.path() / "a\nset nonsense\n.svg"), "");
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "a\nset nonsense\n.svg"));
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(Gnuplot, ShowsNamesAsTheyAre) {
  if (!GnuplotIsHere()) return;
  Plot plot;
  plot.Add("1 2\n2 3\n", "with lines", "arm_1^{x}");
  EXPECT_THAT(DrawSvg(plot.Script(""), "figure"), HasSubstr("arm_1^{x}"));
}

}  // namespace
}  // namespace mr::lab
