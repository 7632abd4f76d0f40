// Which files mrgrep searches, beside GNU grep: recursion, links, devices, globs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/grep_comparison.h"

namespace mr::test {
namespace {

namespace fs = std::filesystem;
using Order = GrepComparison::Order;

class GrepFiles : public ::testing::Test {
 protected:
  GrepFiles() {
    const fs::path root = grep.files().path();
    fs::create_directories(root / "r/s");
    fs::create_directories(root / "r/.h");
    fs::create_directories(root / "r/ss");
    for (const char* name : {"r/a.txt", "r/s/b.c", "r/.h/x", "r/ss/c.h", "top.c"}) {
      grep.files().Write(name, "a\n");
    }
    fs::create_symlink("s", root / "r/ls");
    fs::create_symlink("a.txt", root / "r/lf");
    fs::create_symlink("nowhere", root / "r/dangling");
    fs::create_symlink("..", root / "r/s/up");
    EXPECT_EQ(::mkfifo((root / "r/s/fifo").c_str(), 0600), 0);
    grep.files().Write("globs", "*.c  \n\n \na.txt\n");
  }

  GrepComparison grep;
};

TEST_F(GrepFiles, RecursionFindsTheSameFilesAndNamesThemAlike) {
  grep.ExpectSameForEach(R"sh(
grep -r a r
grep -r a
grep -r a .
grep -r a r/
grep -r a r//
grep -r a ./r//s/
grep -r a /dev/null r
grep -r a r/ls
grep -r a r/lf
grep -r a r/lf r/dangling
grep -r a r/dangling
grep -r a top.c
grep -r a top.c top.c
grep -r a top.c r
grep -rh a r
grep -rH a top.c
grep -rc a r
grep -rl a r
grep -rL a r
grep -rLv a r
grep -rn a r
grep -rq a r nonexistent
grep -r a nonexistent r/s
grep -rs a nonexistent r/s
grep -r a -e a
grep -d recurse a r
grep -drecurse a r
grep -dskip a r top.c
grep -d read a r top.c
grep -r -d skip a r
grep -d skip -r a r
rgrep a r
cat top.c | grep -r a -
grep -r a - < r
grep -c a r
grep -L a r
grep -l a r top.c
grep -s a r top.c
)sh",
                         Order::kAnyLineOrder);
}

TEST_F(GrepFiles, LinksAreFollowedAsAsked) {
  grep.ExpectSameForEach(R"sh(
grep -R -D skip a r
grep -Rs -D skip a r
grep -R -D skip -c a r
grep -R -D skip a r/s
grep -R -D skip a
grep -rR -D skip a r
grep -Rr -D skip a r
grep -R -D skip a r/lf
grep -R -D skip a r/ls
grep -R --exclude-dir=s -D skip a r
grep -R --exclude-dir=ls -D skip a r
grep -R --exclude=lf -D skip a r
)sh",
                         Order::kAnyLineOrder);
}

TEST_F(GrepFiles, GlobsSelectNamesAsGnuGrepDoes) {
  grep.ExpectSameForEach(R"sh(
grep -r '--include=*.c' a r top.c r/a.txt
grep '--include=*.c' a r/a.txt top.c
grep '--exclude=*.c' a r/a.txt top.c
grep --exclude=a.txt a r/a.txt top.c
grep --exclude=r/a.txt a r/a.txt top.c
grep '--exclude=r/*' a r/a.txt top.c
grep --exclude=r a r/a.txt top.c
grep -r --exclude-dir=r a r
grep -r --exclude-dir=r a r/
grep -r --exclude-dir=r/ a r
grep -r --exclude-dir=s a r
grep -r --exclude-dir=s a r/s
grep -r --exclude-dir=r/s a r/s
grep -r --exclude-dir=r/s a r
grep -r '--exclude-dir=.*' a .
grep -r '--exclude-dir=.*' a
grep -r --exclude-dir=. a .
grep -r --exclude-dir=. a
grep -r '--exclude-dir=*' a r
grep -r --exclude=r a r
grep -r --exclude=b.c '--include=*.c' a r
grep -r '--include=*.c' --exclude=b.c a r
grep -r '--include=*.c' '--include=*.txt' a r
grep -r '--exclude=*.c' '--include=*.c' a r
grep -r '--exclude=*.txt' '--include=*.c' a r
grep '--include=*.txt' --exclude=a.txt a r/a.txt r/s/b.c r/ss/c.h
grep '--exclude=*.txt' --include=a.txt a r/a.txt r/s/b.c r/ss/c.h
grep --exclude-dir=r a r top.c
grep --exclude=r a r top.c
grep --exclude=nonexistent a nonexistent top.c
grep '--exclude=*' a - < top.c
grep -r --exclude-from=globs a r
grep -r --exclude-from=nonexistent a r
grep -r '--exclude=[ab]*' a r
grep -r '--exclude=[!ab]*' a r
grep -r '--exclude=\a.txt' a r
grep -r '--exclude=/a.txt' a r
grep -r '--exclude=*/a.txt' a r r/a.txt
grep -r '--exclude=?.txt' a r r/a.txt
grep -r '--exclude=*.{c,h}' a r
grep -r --exclude= a r
grep -r --include= a r
)sh",
                         Order::kAnyLineOrder);
}

TEST_F(GrepFiles, DevicesAreReadOrSkippedAsAsked) {
  grep.ExpectSameForEach(R"sh(
grep -D skip a r/s/fifo
grep -D skip a /dev/null
grep -D read -c a /dev/null
grep -c a /dev/null
grep -D skip a - < top.c
cat top.c > r/s/fifo & grep a r/s/fifo
cat top.c > r/s/fifo & grep -r a r/s/fifo
cat top.c > r/s/fifo & grep -r -D read a r/s
cat top.c > r/s/fifo & grep -D read -r a r
)sh",
                         Order::kAnyLineOrder);
}

TEST_F(GrepFiles, OutputFileIsNotSearched) {
  grep.ExpectSameForEach(R"sh(
cp top.c out; grep a top.c out >> out; echo $?; cat out
cp top.c out; grep a < out >> out; echo $?; cat out
cp top.c out; grep a - < out 1<> out; echo $?; cat out
cp top.c out; grep -q a out >> out; echo $?; cat out
cp top.c out; grep -m1 a out >> out; echo $?; cat out
cp top.c out; grep -c a out >> out; echo $?; cat out
cp top.c out; grep -l a out >> out; echo $?; cat out
cp top.c out; grep -L a out >> out; echo $?; cat out
cp top.c out; grep -s a out >> out; echo $?; cat out
cp top.c out; grep -v a out >> out; echo $?; cat out
cp top.c out; ln out hard; grep a hard >> out; echo $?; cat out; rm hard
cp top.c out; ln -s out soft; grep a soft >> out; echo $?; cat out; rm soft
cp top.c r/s/out; grep -rh zz r >> r/s/out; echo $?; cat r/s/out; rm r/s/out
cp top.c r/s/out; grep -Rh -D skip zz r >> r/s/out; echo $?; cat r/s/out; rm r/s/out
)sh",
                         Order::kAnyLineOrder);
}

TEST_F(GrepFiles, RecursiveOutputIsInPathOrder) {
  const ScriptResult result = grep.RunOurs("grep -r a r");
  EXPECT_EQ(result.output, "r/.h/x:a\nr/a.txt:a\nr/s/b.c:a\nr/ss/c.h:a\n");
  // '.' and '-' come before the slash that ends a directory's name.
  grep.ExpectSame(
      "mkdir -p o/a o/a-b; for f in o/a/x o/a-b/x o/a.c o/ab; do echo a > $f; done;"
      "grep -rl a o | LC_ALL=C sort");
  EXPECT_EQ(grep.RunOurs("grep -rl a o").output, "o/a-b/x\no/a.c\no/a/x\no/ab\n");
}

TEST_F(GrepFiles, NamesWithNewlinesComeWhole) {
  grep.ExpectSame("mkdir -p n; echo a > $'n/x\\ny'; grep -rlZ a n; grep -r a n");
}

}  // namespace
}  // namespace mr::test
