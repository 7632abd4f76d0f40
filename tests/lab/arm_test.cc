#include "lab/plan/arm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/plan/truth.h"

namespace mr::lab {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Expand(const std::string& command) {
  return ExpandCommand({"a", command}, "it's $HOME", "/tmp/a b");
}

std::string Complaint(const std::string& text) {
  try {
    const Arm arm = ParseArm(text, "/opt/mrgrep");
    CheckProgram(arm, ExpandCommand(arm, "p", "f"));
  } catch (const ArmError& error) {
    return error.what();
  }
  return "";
}

TEST(ExpandCommand, SplitsPlainCommandsIntoWords) {
  EXPECT_THAT(Expand("grep  -c\t{pattern} {file}"),
              ElementsAre("grep", "-c", "it's $HOME", "/tmp/a b"));
  EXPECT_THAT(Expand("x 'a b'\"c\\\"d\\e\" f\\ g '' --file={file}"),
              ElementsAre("x", "a bc\"d\\e", "f g", "", "--file=/tmp/a b"));
  EXPECT_THAT(Expand("x '{pattern}' \"{file}\""), ElementsAre("x", "it's $HOME", "/tmp/a b"));
}

TEST(ExpandCommand, GivesEverythingElseToAShellWithPlaceholdersQuotedWhereTheyStand) {
  EXPECT_THAT(Expand("LC_ALL=C grep {pattern} {file}"),
              ElementsAre("/bin/sh", "-c", "LC_ALL=C grep 'it'\\''s $HOME' '/tmp/a b'"));
  EXPECT_THAT(Expand("cat '{file}' | grep \"{pattern}\""),
              ElementsAre("/bin/sh", "-c", "cat '/tmp/a b' | grep \"it's \\$HOME\""));
  EXPECT_THAT(Expand("x {file} \"$Y\""), ElementsAre("/bin/sh", "-c", "x '/tmp/a b' \"$Y\""));
}

TEST(ExpandCommand, RefusesAnUnfinishedQuote) {
  EXPECT_THROW(Expand("grep 'a {file}"), ArmError);
  EXPECT_THROW(Expand("grep \"a {file}"), ArmError);
}

TEST(ParseArm, KnowsTheModesOfMrgrepByName) {
  EXPECT_EQ(ParseArm("mmap", "/opt/mrgrep"), ParseArm("m", "/opt/mrgrep"));
  EXPECT_THAT(ExpandCommand(ParseArm("r", "/o pt/mrgrep"), "p", "f"),
              ElementsAre("/o pt/mrgrep", "--read", "-e", "p", "f"));
}

TEST(ParseArm, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(ParseArm("g=LC_ALL=C grep {file}", ""), (Arm{"g", "LC_ALL=C grep {file}"}));
}

TEST(ParseArm, SaysWhatIsWrong) {
  EXPECT_EQ(Complaint("=grep {file}"), "--arm '=grep {file}': an arm needs a name");
  EXPECT_EQ(Complaint("rg"),
            "--arm 'rg': not a known arm (mmap, read); write NAME='COMMAND {pattern} {file}'");
  EXPECT_EQ(Complaint("g= "), "arm g: its command is empty");
  EXPECT_EQ(Complaint("g=grep x"), "arm g: its command does not say where the {file} goes");
}

TEST(CheckProgram, NamesTheProgramThatIsMissing) {
  EXPECT_EQ(Complaint("g=no-such-program {file}"), "arm g: no-such-program: command not found");
  EXPECT_EQ(Complaint("g=/etc/passwd {file}"), "arm g: /etc/passwd: not an executable file");
  EXPECT_EQ(Complaint("g=LC_ALL=C no-such-program {file}"),
            "arm g: no-such-program: command not found");
  EXPECT_EQ(Complaint("g=cat {file}"), "");
  EXPECT_EQ(Complaint("g=cd / && cat {file}"), "");
  EXPECT_EQ(Complaint("g=LC_ALL=C cat {file} | wc"), "");
}

TEST(TruthFromSidecar, HoldsOnlyForTheNeedleAsPlainText) {
  DataSidecar sidecar;
  sidecar.spec.needle = "needle";
  sidecar.spec.needles = 42;
  EXPECT_EQ(TruthFromSidecar(sidecar, "needle"),
            (Truth{.matches = 42, .source = "the sidecar of the data"}));
  EXPECT_EQ(TruthFromSidecar(sidecar, "needl"), std::nullopt);
  sidecar.spec.needle = "n.edle";
  EXPECT_EQ(TruthFromSidecar(sidecar, "n.edle"), std::nullopt);
}

}  // namespace
}  // namespace mr::lab
