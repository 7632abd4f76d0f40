// Lines longer than what is held of them: searched in pieces, and the same is printed.
#include <gtest/gtest.h>

#include <string>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

// `before` and `behind` the middle of a line of 80,000 bytes or more: the smallest
// buffer of GrepComparison that is a page holds 64 KiB of a line.
std::string LongLine(const std::string& filler, const std::string& middle) {
  std::string line;
  while (line.size() < 40000) line += filler;
  const std::string half = line;
  return half + middle + half;
}

class LongLines : public testing::Test {
 protected:
  GrepComparison grep;
};

TEST_F(LongLines, AreSelectedAsWholeLinesAre) {
  grep.files().Write("text", "short needle\n" + LongLine("haystack ", "needle") + "\n" +
                                 LongLine("\u00e9t\u00e9 ", "x\u00e9needles") + "\nneedle\n" +
                                 LongLine("0123456789", " needle ") + "\n" +
                                 LongLine("nothing here, ", "") + "\n" +
                                 LongLine("\xff\xfe", "needle \xff") + "\nno end " +
                                 LongLine("abc", "needle"));
  grep.ExpectSameForEach(R"(
    for o in -c -vc -l -L -q -vn; do grep -a $o needle text | cksum; grep -a $o -w needle text | cksum; done
    for o in -b -ob -m2 -mc2 -Ic -ac --color=always; do grep -a $o needle text | cksum; grep -a $o -w needle text | cksum; done
    for o in -c -vc -l -q -n; do cat text | grep -a $o needle; echo $?; done
    for p in '^short' '^hay.*needle' 'needle.*hay' '[0-9] needle [0-9]' 'e$' 'abc$' '^no end' '\bneedle\b' 'needle\>'; do for o in -c -vc -n -m1; do grep -aE $o "$p" text | cksum; cat text | grep -aE $o "$p" | cksum; done; done
    for p in 'x.needle' '[^a]needle' '.needles' '\(ne\).*\1' 'x*needle' '\w\{6\}' 'haystack \(.*\) haystack$'; do for o in -c -vc -l; do grep -a $o "$p" text; cat text | grep -a $o "$p"; done; done
    grep -aPc 'needle(?= hay)' text; cat text | grep -aPc '(?<=x.)needle' ; grep -aPc 'y needle' text
    for o in -c -vc -i -ic; do grep -aF $o -e NEEDLE -e 'x' -e 'ystackneedlehay' text | cksum; done
    grep -axc 'nothing.*, ' text; grep -axvc 'needle' text; cat text | grep -axEc '(abc|no end )+needle.*'
    grep -aA1 short text | cksum; grep -aB1 '^needle' text | cksum; cat text | grep -aC1 '^needle' | cksum
)");
}

TEST_F(LongLines, EndAtANulInABinaryFile) {
  const std::string nul(1, '\0');
  grep.files().Write("nul", "short\n" + LongLine("haystack ", "needle") + nul +
                                LongLine("straw ", "needle") + nul + "needle\nlast\n");
  grep.files().Write("late", LongLine("haystack ", "needle") + "\nneedle\n" + nul + "\n");
  grep.ExpectSameForEach(R"(
    for f in nul late; do for p in needle '^straw' 'hay.*needle'; do for o in -c -vc -l -Ic -Il -IL -zc -ac -n -vn -m1 -mc1; do grep $o "$p" $f | cksum; done; done; done
    for f in nul late; do for p in 'w $' '^.*needle'; do for o in -c -vc -Ic -vn; do grep $o "$p" $f | cksum; done; done; done
    for f in nul late; do for p in needle '^straw' 'hay.*needle' 'w $'; do for o in -c -vc -l -Ic -zc -ac; do cat $f | grep $o "$p"; done; done; done
)");
}

TEST_F(LongLines, LeaveStandardInputBehindTheLastSelectedOne) {
  grep.files().Write(
      "text", LongLine("haystack ", "needle") + "\nrest\n" + LongLine("a", "needle") + "\nlast\n");
  grep.ExpectSameForEach(R"(
    { grep -m1 -c needle; cat | cksum; } < text
    { grep -m2 -c needle; cat | cksum; } < text
    { grep -m1 needle | cksum; cat | cksum; } < text
)");
}

}  // namespace
}  // namespace mr::test
