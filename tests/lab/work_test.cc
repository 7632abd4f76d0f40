#include "lab/studies/work.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "lab/studies/appcache.h"

namespace mr::lab {
namespace {

std::uint64_t Result(WorkKind kind, const std::string& bytes, const std::string& pattern = "x") {
  return MakeWork(kind, pattern)->Process(bytes);
}

TEST(Work, HasNamesThatLeadBack) {
  for (const WorkKind kind : {WorkKind::kNone, WorkKind::kTouch, WorkKind::kSum, WorkKind::kMemcpy,
                              WorkKind::kSearch, WorkKind::kTokenize}) {
    EXPECT_EQ(ParseWork(WorkName(kind)), kind);
  }
  EXPECT_FALSE(ParseWork("dance"));
}

TEST(Work, TouchesOneByteOfEachPage) {
  std::string bytes(3 * 4096 + 1, '\1');
  bytes[4096] = '\7';
  bytes[4097] = '\100';
  EXPECT_EQ(Result(WorkKind::kTouch, bytes), 1u + 7 + 1 + 1);
}

TEST(Work, SumsEveryByte) {
  std::string bytes(1000, '\0');
  const std::uint64_t empty = Result(WorkKind::kSum, bytes);
  EXPECT_EQ(empty, 0u);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = '\1';
    EXPECT_NE(Result(WorkKind::kSum, bytes), 0u) << at;
    bytes[at] = '\0';
  }
}

TEST(Work, SearchCountsLinesNotMatches) {
  EXPECT_EQ(Result(WorkKind::kSearch, "", "ab"), 0u);
  EXPECT_EQ(Result(WorkKind::kSearch, "ab", "ab"), 1u);
  EXPECT_EQ(Result(WorkKind::kSearch, "ab ab\nb\nxab\n\nab", "ab"), 3u);
  EXPECT_EQ(Result(WorkKind::kSearch, "a.b\naxb\n", "a.b"), 1u) << "the text is not a pattern";
  EXPECT_EQ(Result(WorkKind::kSearch, std::string("a\0ab\nb", 6), "ab"), 1u);
}

TEST(Work, TokenizesAsACompilerDoes) {
  EXPECT_EQ(Result(WorkKind::kTokenize, "int main(void)"), 5u);
  EXPECT_EQ(Result(WorkKind::kTokenize, "puts(\"a b\\\" c\");"), 5u);
  EXPECT_EQ(Result(WorkKind::kTokenize, "  \n\t"), 0u);
  EXPECT_EQ(Result(WorkKind::kTokenize, "\"open\nx"), 2u);
  EXPECT_EQ(Result(WorkKind::kTokenize, "'\\"), 1u);
}

TEST(PiecewiseSearch, CountsLinesThatLieInSeveralPieces) {
  const std::string text = "one needle\nnothing\nneedle and needle\n\nlast needle";
  const auto work = MakeWork(WorkKind::kSearch, "needle");
  ASSERT_EQ(work->Process(text), 3u);
  PiecewiseSearch search(*work);
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      search.Feed(std::string_view(text).substr(0, first));
      search.Feed(std::string_view(text).substr(first, second - first));
      search.Feed(std::string_view(text).substr(second));
      ASSERT_EQ(search.Finish(), 3u) << first << " " << second;
    }
  }
  EXPECT_EQ(search.Finish(), 0u) << "nothing is left over";
}

}  // namespace
}  // namespace mr::lab
