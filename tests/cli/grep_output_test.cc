// What mrgrep prints, beside GNU grep: prefixes, context, counts, names, colours.
#include <gtest/gtest.h>

#include <string>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

class GrepOutput : public ::testing::Test {
 protected:
  GrepOutput() {
    const TempDir& files = grep.files();
    files.Write("f", "a\nb\na\nc\nc\nc\na\n");
    files.Write("g", "x a\n");
    files.Write("empty", "");
    files.Write("open", "one a\ntwo");
    files.Write("cr", "abcb\r\nx\r\ny a b\r\n");
    files.Write("tabs", "a\tb\n\ta\nlong line with a in it\n");
    files.Write("umlaut", "\xc3\xa4\xc3\xb6 a\n\xc3\xa9\xc3\xa9\n");
    std::string numbers;
    for (int i = 1; i <= 3000; ++i) numbers += std::to_string(i) + '\n';
    files.Write("numbers", numbers);
  }

  GrepComparison grep;
};

TEST_F(GrepOutput, PrefixesStandInGnuOrder) {
  grep.ExpectSameForEach(R"sh(
grep a f
grep a f g
grep -n a f g
grep -b a f g
grep -nb a f g
grep -bn a f
grep -H a f
grep -h a f g
grep -Hnb a f
grep -c a f g empty
grep -ch a f g
grep -Hc a f
grep -Z a f g
grep -Zc a f g
grep -Zn a f g
grep -l a f g empty
grep -L a f g empty
grep -lZ a f g
grep -lv a f g empty
grep -Lv a f g empty
grep -n "" open empty
grep -c "" open empty f
grep two open
grep -vc two open
grep -n -e a -e b f
grep -bo "a" g f
grep -ob "[a-c]" tabs
grep -on "a" tabs g
grep -o "" f
grep -o "x*" g
grep -o "b*" f
grep -ov a f
grep -oc a f
grep -ol a f
grep -c "" f - g < numbers
grep -n 77 - < numbers
grep -H a - < f
grep -H --label=here a - < f
grep --label= -H a - < f
cat f | grep -nb a
)sh");
}

TEST_F(GrepOutput, InitialTabAlignsByTheSizeOfTheFile) {
  grep.ExpectSameForEach(R"sh(
grep -T a f
grep -TH a f
grep -Tn a f
grep -Tb a f
grep -TnbH a f
grep -Tnb 3 numbers
grep -Tb 2999 numbers
grep -Tn 2999 numbers f
grep -Tnb 3 < numbers
cat numbers | grep -Tnb 3
grep -TnH "^$" numbers
printf "\n" | grep -TnH ""
grep -TZ -H a f
grep -TZl a f
grep -Tc a f g
grep -T -A1 -H a f
grep -onbTH a f tabs
grep -TH a tabs
)sh");
}

TEST_F(GrepOutput, ContextIsGroupedAsGnuGrepGroupsIt) {
  grep.ExpectSameForEach(R"sh(
grep -A1 a f
grep -B1 a f
grep -C1 a f
grep -A0 a f
grep -B0 a f
grep -C0 a f g
grep -A0 a f g
grep -A1 a f g
grep -nA1 b f
grep -nB2 c f
grep -nC9 b f
grep -nA1 2999 numbers
grep -nA5 2999 numbers
grep -nB5 3 numbers
grep -nbC1 7 numbers
grep -nHC1 77 numbers f
grep -vA1 a f
grep -vC1 c f g
grep -vnB1 -e a -e b f
grep -o -A1 a f
grep -o -C1 b f g
grep -ov -A1 a f
grep -onv -A1 a f
grep -onv -C1 b f g
grep -c -A1 a f
grep -l -A1 a f g
grep -q -A1 a f
grep -m1 -A5 a f
grep -m2 -A5 a f
grep -m2 -C1 -n c f
grep -m1 -v -A5 a f
grep -m3 -A1 7 numbers
grep -m1 -B5 77 numbers f
grep --group-separator=XX -A0 a f
grep --group-separator= -A0 a f
grep --no-group-separator -A0 a f
grep --group-separator=XX a f
grep -ZA1 b f g
grep -z -A0 a f g
printf "a\0b\0a" | grep -z -A0 a
printf "a\0b\0a" | grep -zn a
printf "a\n\0b\0a" | grep -zn "^a"
)sh");
}

TEST_F(GrepOutput, MaxCountStopsAndPositionsStandardInput) {
  grep.ExpectSameForEach(R"sh(
grep -m1 a f g
grep -m1 -c a f g
grep -m2 -n a f
grep -m9 a f
grep -m1 -v a f
grep -m1 -o "[a-c]" f tabs
(grep -m1 a; echo rest; cat) < f
(grep -m1 -A1 a; echo rest; cat) < f
(grep -m2 -c a; echo rest; cat) < f
(grep -m1 -v a; echo rest; cat) < f
(grep -m9 -v a; echo rest; cat) < f
(grep -m1 zz; echo rest; cat) < f
(grep a; echo rest; cat) < f
(dd bs=1 count=2 status=none >/dev/null; grep -m1 -nb a; echo rest; cat) < f
(dd bs=1 count=2 status=none >/dev/null; grep -nTb a; echo rest; cat) < f
(grep -m1 2999; echo rest; cat) < numbers
grep -c a - - < f
)sh");
}

TEST_F(GrepOutput, ColoursAreTheSameBytes) {
  grep.ExpectSameForEach(R"sh(
grep --color=always a f
grep --color=always a f g
grep --color=always -n a f g
grep --color=always -nHbT -A1 a f
grep --color=always -nHbTZ -A1 a f
grep --color=always -c a f g
grep --color=always -l a f g
grep --color=always -L a f g empty
grep --color=always -lZ a f g
grep --color=always -o a f g
grep --color=always -on a tabs g
grep --color=always -ov -A1 a f g
grep --color=always -v a f
grep --color=always -v -C1 a f
grep --color=always -w a g tabs
grep --color=always -x a f
grep --color=always -i A f
grep --color=always "b*" f cr
grep --color=always "" f
grep --color=always "^" f
grep --color=always -e a -e b cr
grep --color=always "b" cr
grep --color=always "a.*b" cr
grep --color=always "." umlaut
grep --color=always "x*" umlaut
grep --color=always -A1 a umlaut
grep --color=always -z a f
grep --color=auto a f
grep --color a f
TERM=xterm grep --color=auto a f
)sh");
}

TEST_F(GrepOutput, GrepColorsIsReadToItsFirstMistake) {
  for (const char* colors : {"",
                             "mt=01;32",
                             "ms=01;32",
                             "mc=4",
                             "mt",
                             "ms=1:mt",
                             "mt=:sl=1",
                             "sl=1",
                             "cx=2",
                             "sl=1:cx=2",
                             "sl=1:cx=2:rv",
                             "rv",
                             "ne",
                             "ne:mt=01;32:sl=1:cx=2:rv",
                             "fn=1:ln=2:bn=3:se=4",
                             "se=:fn=",
                             "ms=x:fn=3",
                             "fn=1=2:ln=3",
                             "=1:fn=2",
                             "::fn=2:zz=3:yy:ln=3",
                             "ne=1:rv=2",
                             "fn=3:",
                             "fn",
                             "fn=3;:ln=;",
                             "fn=3 :ln=4",
                             "mt=01;32:ne:ne"}) {
    const std::string variable = std::string("GREP_COLORS='") + colors + "' ";
    grep.ExpectSameForEach(variable + "grep --color=always -nHb -C1 b f cr\n" + variable +
                           "grep --color=always -v -nHb -C1 b f cr\n" + variable +
                           "grep --color=always -onv -C1 b f cr\n");
  }
}

TEST_F(GrepOutput, OldGrepColorIsWarnedAboutWhereItHasAnEffect) {
  grep.ExpectSameForEach(R"sh(
GREP_COLOR="01;32" grep --color=always a f
GREP_COLOR="01;32" grep a f
GREP_COLOR="" grep --color=always a f
GREP_COLOR="x" grep --color=always a f
GREP_COLOR="1x" grep --color=always a f
GREP_COLOR="01;32" GREP_COLORS="mt=3" grep --color=always a f
GREP_COLOR="01;32" GREP_COLORS="ms=3" grep --color=always a f
GREP_COLOR="01;32" GREP_COLORS="mt" grep --color=always a f
GREP_COLOR="01;32" grep --color=always -v a nonexistent
GREP_OPTIONS=-n grep a f
)sh");
}

TEST_F(GrepOutput, BinaryFilesAreNamedNotShown) {
  grep.files().Write("nul", std::string("a\0a\nb\n", 6));
  grep.files().Write("enc", "a\x80\na\n");
  grep.ExpectSameForEach(R"sh(
grep a nul
grep a nul f
grep -a a nul
grep -c a nul f
grep -v a nul
grep -o a nul
grep -n a nul f
grep -I a nul f
grep -Ic a nul f
grep -U a nul
grep -l a nul
grep -L a nul
grep -q a nul
grep -s a nul
grep -z a nul
grep --binary-files=text a nul
grep a nul > /dev/null
grep a enc
grep -o a enc
grep -I a enc
grep -c a enc
grep -a a enc
grep -v b enc
grep -A1 a enc
grep -B1 a f enc f
grep -C0 a enc nul f
grep -A0 "" nul f
grep -nA1 b nul enc f
grep -n a enc enc f
grep --color=always a enc
LC_ALL=C grep a enc
LC_ALL=POSIX grep a enc
LC_ALL=xx_YY.UTF-8 grep a enc
LC_ALL= LC_CTYPE=C grep a enc
LC_ALL= LC_CTYPE=C.UTF-8 grep a enc
LC_ALL= LC_CTYPE= LANG=C grep a enc
printf "a\xed\xa0\x80\n" | grep a
printf "a\xf4\x90\x80\x80\n" | grep a
printf "a\xe2\x82\n" | grep a
)sh");
}

}  // namespace
}  // namespace mr::test
