#include "app/mrgrep_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/error.h"
#include "support/temp_dir.h"

namespace mr::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PatternList, SplitsTextAtNewlinesAndKeepsEmptyPatterns) {
  PatternList list;
  list.AddText("a\nb\n");
  EXPECT_THAT(list.Take(pattern::Syntax::kBasic), ElementsAre("a", "b", ""));
}

TEST(PatternList, KeepsEachPatternOnceInOrder) {
  PatternList list;
  list.AddText("b\na\nb");
  list.AddText("a");
  list.AddText("c");
  EXPECT_THAT(list.Take(pattern::Syntax::kFixed), ElementsAre("b", "a", "c"));
}

TEST(PatternList, NewlineAtTheEndOfAFileBeginsNoPattern) {
  const test::TempDir dir;
  PatternList list;
  list.AddFile(dir.Write("p", "a\n\nb\n"));
  list.AddFile(dir.Write("q", "c"));
  EXPECT_THAT(list.Take(pattern::Syntax::kBasic), ElementsAre("a", "", "b", "c"));
}

TEST(PatternList, EmptyFileIsGivenButHoldsNoPattern) {
  const test::TempDir dir;
  PatternList list;
  EXPECT_FALSE(list.given());
  list.AddFile(dir.Write("empty", ""));
  EXPECT_TRUE(list.given());
  EXPECT_THAT(list.Take(pattern::Syntax::kBasic), IsEmpty());
}

TEST(PatternList, PerlGetsOnePatternThatShowsTheNewlines) {
  PatternList list;
  list.AddText("a");
  list.AddText("b");
  list.AddText("a");
  EXPECT_THAT(list.Take(pattern::Syntax::kPerl), ElementsAre("a\nb"));
}

TEST(PatternList, FileThatIsNotThereThrowsWithItsName) {
  PatternList list;
  try {
    list.AddFile("/nonexistent/file");
    FAIL();
  } catch (const os::IoError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/file: No such file or directory");
  }
}

}  // namespace
}  // namespace mr::app
