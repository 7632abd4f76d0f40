#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/mrgrep/patterns.h"
#include "os/error.h"
#include "support/temp_dir.h"

namespace mr::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Take(PatternList& list, pattern::Syntax syntax) {
  pattern::Source source;
  source.syntax = syntax;
  list.MoveTo(source);
  return source.patterns;
}

TEST(PatternList, SplitsTextAtNewlinesAndKeepsEmptyPatterns) {
  PatternList list;
  list.AddText("a\nb\n");
  EXPECT_THAT(Take(list, pattern::Syntax::kBasic), ElementsAre("a", "b", ""));
}

TEST(PatternList, KeepsEachPatternOnceInOrder) {
  PatternList list;
  list.AddText("b\na\nb");
  list.AddText("a");
  list.AddText("c");
  EXPECT_THAT(Take(list, pattern::Syntax::kFixed), ElementsAre("b", "a", "c"));
}

TEST(PatternList, NewlineAtTheEndOfAFileBeginsNoPattern) {
  const test::TempDir dir;
  PatternList list;
  list.AddFile(dir.Write("p", "a\n\nb\n"));
  list.AddFile(dir.Write("q", "c"));
  EXPECT_THAT(Take(list, pattern::Syntax::kBasic), ElementsAre("a", "", "b", "c"));
}

TEST(PatternList, KnowsWhereAPatternWasReadFirst) {
  const test::TempDir dir;
  const std::string path = dir.Write("p", "a\na\nb\nc\n");
  PatternList list;
  list.AddText("c");
  list.AddFile(path);
  pattern::Source source;
  list.MoveTo(source);
  EXPECT_THAT(source.patterns, ElementsAre("c", "a", "b"));
  EXPECT_EQ(source.origin(0), "");
  EXPECT_EQ(source.origin(1), path + ":1");
  EXPECT_EQ(source.origin(2), path + ":3");
}

TEST(PatternList, EmptyFileIsGivenButHoldsNoPattern) {
  const test::TempDir dir;
  PatternList list;
  EXPECT_FALSE(list.given());
  list.AddFile(dir.Write("empty", ""));
  EXPECT_TRUE(list.given());
  EXPECT_THAT(Take(list, pattern::Syntax::kBasic), IsEmpty());
}

TEST(PatternList, PerlGetsOnePatternThatShowsTheNewlines) {
  PatternList list;
  list.AddText("a");
  list.AddText("b");
  list.AddText("a");
  EXPECT_THAT(Take(list, pattern::Syntax::kPerl), ElementsAre("a\nb"));
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
