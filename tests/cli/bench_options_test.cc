// What every subcommand of mrbench makes of options that make no sense.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run_program.h"

namespace mr {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

os::ProcessResult Bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), MRBENCH_BINARY);
  return test::RunProgram(std::move(arguments));
}

struct NumberOption {
  std::string subcommand;
  std::string option;
};

const std::vector<NumberOption> kWholeNumbers = {
    {"pairs", "--blocks"},    {"pairs", "--seed"},      {"pairs", "--expect"},
    {"pairs", "--timeout"},   {"compare", "--blocks"},  {"compare", "--seed"},
    {"compare", "--expect"},  {"compare", "--timeout"}, {"data", "--seed"},
    {"data", "--needles"},    {"simulate", "--blocks"}, {"simulate", "--arms"},
    {"simulate", "--runs"},   {"simulate", "--seed"},   {"sweep", "--points"},
    {"sweep", "--repeats"},   {"sweep", "--rounds"},    {"sweep", "--seed"},
    {"cost", "--threads"},    {"cost", "--rounds"},     {"cost", "--seed"},
    {"appcache", "--rounds"}, {"appcache", "--seed"},
};

const std::vector<NumberOption> kNumbers = {
    {"simulate", "--effect"}, {"simulate", "--noise"}, {"simulate", "--drift"},
    {"sweep", "--clip"},      {"crunch", "--clip"},    {"appcache", "--short"},
};

void ExpectRefused(const NumberOption& number, const std::string& value) {
  const os::ProcessResult result = Bench({number.subcommand, number.option + "=" + value});
  const std::string what = number.subcommand + " " + number.option + "=" + value;
  EXPECT_EQ(result.shell_status(), 2) << what;
  EXPECT_THAT(result.error.text,
              StartsWith("mrbench: " + number.option + ": '" + value + "' is not a"))
      << what;
  EXPECT_EQ(result.output.text, "") << what;
}

TEST(BenchOptions, WholeNumbersAreDecimalDigitsThatFit) {
  for (const NumberOption& number : kWholeNumbers) {
    for (const char* value : {"-1", "+1", " 1", "1 ", "x", "0x10", "1e3", "1.5", "1K", "nan",
                              "18446744073709551616", "99999999999999999999"}) {
      ExpectRefused(number, value);
    }
  }
}

TEST(BenchOptions, NumbersAreFiniteAndWithinTheirBounds) {
  for (const NumberOption& number : kNumbers) {
    for (const char* value : {"-1", "x", "nan", "inf", "-inf", "1e400", "1e300", "1 ", "1,5"}) {
      ExpectRefused(number, value);
    }
  }
}

TEST(BenchOptions, ZerosInFrontDoNotMakeANumberOctal) {
  EXPECT_THAT(Bench({"pairs", "--dry-run", "--blocks", "010", "--seed", "007"}).output.text,
              HasSubstr("10 blocks, 50 trials, seed 7\n"));
}

TEST(BenchOptions, AnEmptyValueIsNotTheDefault) {
  const std::vector<std::vector<std::string>> cases = {
      {"pairs", "--log", ""},
      {"pairs", "--resume", ""},
      {"pairs", "--from", ""},
      {"pairs", "-e", ""},
      {"pairs", "--disk-rate", ""},
      {"pairs", ""},
      {"compare", "--from", ""},
      {"report", "a", "--html", ""},
      {"report", "a", "--figures", ""},
      {"report", "a", "--diff", ""},
      {"report", ""},
      {"sweep", "--raw", ""},
      {"sweep", "--dir", ""},
      {"cost", "--size", ""},
      {"cost", "--dir", ""},
      {"appcache", "-e", ""},
      {"crunch", "--figures", ""},
      {"data", "-o", ""},
      {"data", "--verify", ""},
      {"data", ""},
      {"time", "-o", "", "true"},
      {"crunch", ""},
  };
  for (const std::vector<std::string>& arguments : cases) {
    const os::ProcessResult result = Bench(arguments);
    EXPECT_EQ(result.shell_status(), 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.error.text, HasSubstr(": an empty value\nTry 'mrbench " + arguments[0]))
        << ::testing::PrintToString(arguments);
  }
}

// CLI11 would take the next argument for it.
TEST(BenchOptions, NothingBehindAnEqualsSignIsAnEmptyValue) {
  for (const char* option : {"--log", "--from", "--resume", "--pattern", "--seed"}) {
    EXPECT_THAT(Bench({"pairs", std::string(option) + "=", "data"}).error.text,
                StartsWith("mrbench: " + std::string(option) + ": an empty value\n"));
  }
}

TEST(BenchOptions, AnUnknownOptionBeforeTheSubcommandIsNamed) {
  EXPECT_EQ(Bench({"-x", "pairs"}).error.text,
            "mrbench: there is no option '-x'\nTry 'mrbench --help' for more information.\n");
  EXPECT_THAT(Bench({"--help"}).output.text, HasSubstr("pairs"));
}

}  // namespace
}  // namespace mr
