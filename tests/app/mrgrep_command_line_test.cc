// Pins what Boost.Program_options is made to do: see the head of mrgrep_command_line.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/mrgrep/command_line.h"

namespace mr::app {

bool operator==(const TypedOption& a, const TypedOption& b) {
  return a.id == b.id && a.value == b.value;
}

void PrintTo(const TypedOption& option, std::ostream* out) {
  *out << static_cast<int>(option.id) << "=\"" << option.value << '"';
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CommandLine Parse(const std::vector<std::string>& arguments) {
  return ParseCommandLine(arguments, false);
}

TypedOption Option(OptionId id, std::string value = "") { return {id, std::move(value)}; }

TEST(ParseCommandLine, BareColorDoesNotSwallowTheNextArgument) {
  const CommandLine line = Parse({"--color", "always", "--colour=never"});
  EXPECT_THAT(line.options,
              ElementsAre(Option(OptionId::kColor, "auto"), Option(OptionId::kColor, "never")));
  EXPECT_THAT(line.operands, ElementsAre("always"));
}

TEST(ParseCommandLine, EmptyValueIsAValue) {
  EXPECT_THAT(Parse({"--regexp=", "-e", ""}).options,
              ElementsAre(Option(OptionId::kRegexp, ""), Option(OptionId::kRegexp, "")));
}

TEST(ParseCommandLine, RequiredValueMayLookLikeAnOption) {
  const CommandLine line = Parse({"-e", "-v", "--regexp", "--count", "-f", "--", "-A", "-1"});
  EXPECT_THAT(line.options,
              ElementsAre(Option(OptionId::kRegexp, "-v"), Option(OptionId::kRegexp, "--count"),
                          Option(OptionId::kFile, "--"), Option(OptionId::kAfterContext, "-1")));
  EXPECT_THAT(line.operands, IsEmpty());
}

TEST(ParseCommandLine, ShortOptionsComeInBundlesWithAValueAtTheEnd) {
  EXPECT_THAT(Parse({"-inA5", "-c"}).options,
              ElementsAre(Option(OptionId::kIgnoreCase), Option(OptionId::kLineNumber),
                          Option(OptionId::kAfterContext, "5"), Option(OptionId::kCount)));
  EXPECT_THAT(Parse({"-nA", "5"}).options,
              ElementsAre(Option(OptionId::kLineNumber), Option(OptionId::kAfterContext, "5")));
}

TEST(ParseCommandLine, DigitsThatStandTogetherAreOneContext) {
  EXPECT_THAT(
      Parse({"-12", "-3", "-4n5"}).options,
      ElementsAre(Option(OptionId::kContextDigits, "12"), Option(OptionId::kContextDigits, "3"),
                  Option(OptionId::kContextDigits, "4"), Option(OptionId::kLineNumber),
                  Option(OptionId::kContextDigits, "5")));
}

TEST(ParseCommandLine, OptionsAndOperandsKeepTheirOrder) {
  const CommandLine line = Parse({"a", "-n", "b", "-", "--", "-c", "--", "d"});
  EXPECT_THAT(line.options, ElementsAre(Option(OptionId::kLineNumber)));
  EXPECT_THAT(line.operands, ElementsAre("a", "b", "-", "-c", "--", "d"));
}

TEST(ParseCommandLine, FirstOperandMayEndTheOptions) {
  const CommandLine line = ParseCommandLine({"-n", "a", "-c", "--", "-e"}, true);
  EXPECT_THAT(line.options, ElementsAre(Option(OptionId::kLineNumber)));
  EXPECT_THAT(line.operands, ElementsAre("a", "-c", "--", "-e"));
}

TEST(ParseCommandLine, AbbreviationsThatGnuGrepKnowsAreNotMadeAmbiguousByOurOptions) {
  EXPECT_THAT(Parse({"--s"}).options, ElementsAre(Option(OptionId::kQuiet)));
  EXPECT_THAT(Parse({"--st"}).options, ElementsAre(Option(OptionId::kStats, "text")));
  EXPECT_THAT(Parse({"--t"}).options, ElementsAre(Option(OptionId::kText)));
  EXPECT_THAT(Parse({"--th=2"}).options, ElementsAre(Option(OptionId::kThreads, "2")));
  EXPECT_THAT(Parse({"--m", "2"}).options, ElementsAre(Option(OptionId::kMaxCount, "2")));
  EXPECT_THAT(Parse({"--mm"}).options, ElementsAre(Option(OptionId::kMmap)));
  EXPECT_THAT(Parse({"--no-m"}).options, ElementsAre(Option(OptionId::kNoMessages)));
  EXPECT_THAT(Parse({"--no-mmap", "--read"}).options,
              ElementsAre(Option(OptionId::kNoMmap), Option(OptionId::kRead)));
}

TEST(ParseCommandLine, ComplaintEndsTheListInItsPlace) {
  EXPECT_THAT(Parse({"-n", "--bogus=1", "-c"}).options,
              ElementsAre(Option(OptionId::kLineNumber),
                          Option(OptionId::kWrong, "unrecognized option '--bogus=1'")));
  EXPECT_THAT(Parse({"-nk"}).options,
              ElementsAre(Option(OptionId::kLineNumber),
                          Option(OptionId::kWrong, "invalid option -- 'k'")));
  EXPECT_THAT(Parse({"-e"}).options,
              ElementsAre(Option(OptionId::kWrong, "option requires an argument -- 'e'")));
  EXPECT_THAT(Parse({"--cou=1"}).options,
              ElementsAre(Option(OptionId::kWrong, "option '--count' doesn't allow an argument")));
  EXPECT_THAT(Parse({"--rege"}).options,
              ElementsAre(Option(OptionId::kWrong, "option '--regexp' requires an argument")));
  EXPECT_THAT(Parse({"--nul"}).options,
              ElementsAre(Option(OptionId::kWrong,
                                 "option '--nul' is ambiguous; possibilities: '--null' "
                                 "'--null-data'")));
}

TEST(ParseCommandLine, HundredThousandOperandsAreTakenInLinearTime) {
  std::vector<std::string> arguments(100'000, "some/file/name");
  arguments.insert(arguments.begin(), "-n");
  arguments.push_back("-c");
  const CommandLine line = Parse(arguments);
  EXPECT_EQ(line.operands.size(), 100'000U);
  EXPECT_EQ(line.options.size(), 2U);
}

}  // namespace
}  // namespace mr::app
