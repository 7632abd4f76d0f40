// The command line of mrgrep beside GNU grep's: how options are told from operands, which values
// they take, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

class GrepOptions : public ::testing::Test {
 protected:
  GrepOptions() {
    grep.files().Write("f", "a\nb\na\nc\nc\nc\na\n");
    grep.files().Write("g", "x a\n");
    grep.files().Write("-c", "a in -c\n");
    std::filesystem::create_directory(grep.files().path() / "d");
  }

  GrepComparison grep;
};

// With a value, so that most end in a complaint that names the option.
TEST_F(GrepOptions, EveryPrefixOfALongNameIsOneOptionOrTheSameComplaint) {
  grep.ExpectSame(R"sh(
    for name in basic-regexp extended-regexp fixed-regexp fixed-strings perl-regexp after-context \
        before-context binary-files binary byte-offset context color colour count devices \
        directories exclude exclude-from exclude-dir file files-with-matches files-without-match \
        group-separator help include ignore-case no-ignore-case initial-tab label line-buffered \
        line-number line-regexp max-count no-filename no-group-separator no-messages null \
        null-data only-matching quiet recursive dereference-recursive regexp invert-match silent \
        text unix-byte-offsets version with-filename word-regexp; do
      for i in 1 2 3 4 5 6 7 11 14 50; do echo ${name:0:i}; done
    done | sort -u | while read -r prefix; do
      case $prefix in h|he|hel|help|v|ve|ver|vers|versi|versio|version) continue;; esac
      echo "== $prefix"
      grep --$prefix=never -- a f </dev/null 2>&1; echo "status $?"
    done)sh");
}

TEST_F(GrepOptions, ShortOptionsAreBundledAndTakeValues) {
  grep.ExpectSameForEach(R"sh(
grep -nc a f
grep -cn a f
grep -nA1 b f
grep -nA 1 b f
grep -nA1 -c b f
grep -A 1 -nb b f
grep -nea f
grep -ne a f
grep -nefc f
grep -e a -eb f
grep -m1n a f
grep -nm1 a f
grep -c1 a f
grep -1c a f
grep -1 -2 b f
grep -12 b f
grep -1n2 b f
grep -n105 b f
grep -00001 b f
grep -A1 -B0 -2 b f
grep -2 -A1 -n b f
grep -C1 -3 -n b f
grep -3 -C1 -n b f
grep -5
grep -e
grep -A
grep -nA
grep -m
grep -d
grep -k
grep -nk
grep -k -e
)sh");
}

TEST_F(GrepOptions, LongOptionsTakeTheirValueInEitherWay) {
  grep.ExpectSameForEach(R"sh(
grep --context=1 b f
grep --context 1 b f
grep --cont=1 b f
grep --regexp= -c f
grep --regexp=a=b -c f
grep --regexp -v f
grep --regexp
grep --reg
grep --file= f
grep -e -v f
grep -e -- f
grep -e a -e -- f
grep --color --context=1 b f
grep --color=always a f
grep --color=YES a f
grep --colour=force a f
grep --color=never a f
grep --color=NONE a f
grep --color=tty a f
grep --label=x -H -c a -
grep --count=3 a f
grep --help=3
grep --no a f
grep --foo a f
grep --no=3 a f
grep --foo=3 a f
grep --c a f
grep ---a a f
grep --max-count=1 a f
grep --max-count 1 a f
)sh");
}

TEST_F(GrepOptions, OptionsMayFollowOperands) {
  grep.ExpectSameForEach(R"sh(
grep a f -n
grep a -n f
grep a f -n g
grep a f -- -c
grep a -- -c f
grep -- a f
grep -- -c f
grep -c -- -- f
grep a f -e b
grep f -e b
POSIXLY_CORRECT=1 grep a f -c
POSIXLY_CORRECT=1 grep -n a f -c
POSIXLY_CORRECT= grep -n a f -c
POSIXLY_CORRECT=1 grep -n -e a f -e b
grep - f
grep a -
grep
grep -E
grep -n
)sh");
}

TEST_F(GrepOptions, NumbersAreReadAsStrtoimaxReadsThem) {
  grep.ExpectSameForEach(R"sh(
grep -A x a f
grep -A "" a f
grep -A -1 a f
grep -A +1 b f
grep -A " 1" b f
grep -A "1 " b f
grep -A 1k b f
grep -A 0x1 b f
grep -A 99999999999999999999999 b f
grep -A -99999999999999999999999 b f
grep -B x a f
grep -C x a f
grep -m x a f
grep -m "" a f
grep -m 1k a f
grep -m 0 a f
grep -m -1 a f
grep -m -0 a f
grep -m +1 a f
grep -m 99999999999999999999999 a f
grep -99999999999999999999999999999999 a f
grep -0000000000000000000000000000000000000001 b f
)sh");
}

TEST_F(GrepOptions, WrongValuesAreComplainedAboutInOrder) {
  grep.ExpectSameForEach(R"sh(
grep -A x --bogus a f
grep --bogus -A x a f
grep -d foo a f
grep -d re a f
grep -d "" a f
grep -d rec a d
grep --directories=skip a d
grep --directories=s a d
LC_ALL=C grep -d foo a f
grep -D foo a f
grep -D rea a f
grep --binary-files=foo a f
grep --binary-files=tex a f
grep -X bogus a f
grep -X egrep "a|b" f
grep -f nonexistent f
grep -f d f
grep -f "" f
grep --exclude-from=nonexistent a f
grep -u a f
grep -u -u a f
grep -u -A x f
grep -y A f
grep -U a f
grep -T a f
)sh");
}

TEST_F(GrepOptions, MatchersExcludeEachOther) {
  grep.ExpectSameForEach(R"sh(
grep -E -F a f
grep -F -G a f
grep -G -E a f
grep -E -E a f
grep -FF a f
grep -E -X grep a f
grep -E -X egrep a f
egrep "a|b" f
fgrep a f
fgrep a.f f
rgrep -h a d f
)sh");
}

TEST_F(GrepOptions, LaterOptionsWin) {
  grep.ExpectSameForEach(R"sh(
grep -H -h a f
grep -h -H a f
grep -i --no-ignore-case A f
grep --no-ignore-case -i A f
grep -l -L a f
grep -L -l a f
grep -lc a f g
grep -Lc b f g
grep -ql a f
grep -qc a f
grep -a -I a f
grep --group-separator=X --no-group-separator -A0 a f
grep --no-group-separator --group-separator=X -A0 a f
grep -d skip -r a d f
grep -r -d skip a d f
grep -r -d read a d f
)sh");
}

TEST_F(GrepOptions, PatternsComeFromOptionsFilesAndTheFirstOperand) {
  grep.ExpectSameForEach(R"sh(
grep -e a -e b -n f
grep -e $'a\nb' -n f
grep $'a\nb' -n f
grep $'a\n' -n g
grep -e "" -c f
grep "" -c f
grep "" -c g -w
grep -f f g
grep -f /dev/null f
grep -f /dev/null nonexistent
grep -f /dev/null -c f
grep -f /dev/null -L f
grep -v -f /dev/null nonexistent
grep -v -f /dev/null -n f
printf "\n\237\n\n" | grep -v -A1 -f /dev/null
printf "b\nc\n" | grep -vP -n -f /dev/null
printf "b\nc\n" | grep -P -c -f /dev/null
grep -vx -f /dev/null -c f
grep -w -f /dev/null -c f
grep -f /dev/null -e a -c f
grep -f /dev/null -r a d
printf "b\nc" | grep -nf - f
printf "b\n\n" | grep -cf - f
printf "b\n" | grep -f - -f - -c f
printf "b\n" | grep -f - -c - f
printf "a\n" > list; grep -c -f list f; rm list
grep -m 0 "[" f
grep -m 0 -L a f
grep -m 0 -L a nonexistent
)sh");
}

TEST_F(GrepOptions, HelpAndVersionWinOverEverythingThatIsRight) {
  const auto first_line = [&](const std::string& script) {
    const std::string output = grep.RunOurs(script).output;
    return output.substr(0, output.find('\n'));
  };
  EXPECT_EQ(first_line("grep --help"), "Usage: grep [OPTION]... PATTERNS [FILE]...");
  EXPECT_EQ(first_line("grep a nonexistent --help"), "Usage: grep [OPTION]... PATTERNS [FILE]...");
  EXPECT_EQ(first_line("grep --color=foo"), "Usage: grep [OPTION]... PATTERNS [FILE]...");
  EXPECT_EQ(first_line("grep --color= a f"), "Usage: grep [OPTION]... PATTERNS [FILE]...");
  EXPECT_EQ(first_line("grep -V"), "grep (mrgrep, compatible with GNU grep) 3.11");
  EXPECT_EQ(first_line("grep --help -V"), "grep (mrgrep, compatible with GNU grep) 3.11");
  EXPECT_EQ(first_line(MRGREP_BINARY " -V"),
            "mrgrep " MRGREP_VERSION " (options and output of GNU grep 3.11)");
  EXPECT_EQ(grep.RunOurs("grep --help").status, 0);
  EXPECT_EQ(grep.RunOurs("grep -V >/dev/full"),
            (ScriptResult{2, "", "grep: write error: No space left on device\n"}));
  grep.ExpectSame("grep --help -A x");
}

TEST_F(GrepOptions, HelpNamesEveryOption) {
  const std::string help = grep.RunOurs("grep --help").output;
  const std::string gnu_help = grep.RunGnu("grep --help").output;
  for (std::size_t at = gnu_help.find("--"); at != std::string::npos;
       at = gnu_help.find("--", at + 2)) {
    const std::string name =
        gnu_help.substr(at, gnu_help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at) - at);
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

TEST_F(GrepOptions, MessagesBeginWithTheNameItWasCalledBy) {
  EXPECT_EQ(grep.RunOurs(MRGREP_BINARY " a nonexistent").errors,
            "mrgrep: nonexistent: No such file or directory\n");
  EXPECT_EQ(grep.RunOurs("fgrep a nonexistent").errors,
            "fgrep: nonexistent: No such file or directory\n");
  EXPECT_EQ(grep.RunOurs("egrep").errors,
            "Usage: egrep [OPTION]... PATTERNS [FILE]...\n"
            "Try 'egrep --help' for more information.\n");
}

}  // namespace
}  // namespace mr::test
