// What a scanner leaves undone, because nobody will ask.
#include "search/line_scanner.h"

#include <gtest/gtest.h>

#include <string>

#include "io/lines.h"
#include "search/plain_search.h"

namespace mr::search {
namespace {

std::uint64_t SelectedIn(const SearchPlan& plan, const std::string& bytes, std::uint64_t offset) {
  const auto engine = Compile("needle", plan);
  LineScanner scanner(plan, *engine);
  io::Block block;
  block.bytes = bytes;
  block.offset = offset;
  return scanner.Scan(block, kNoLimit).selected;
}

TEST(LineScanner, StopsAtTheFirstSelectedLineThatIsNoText) {
  const std::string nul(1, '\0');
  const std::string binary =
      "needle 1\n" + std::string(200, '.') + "\n" + nul + "\nneedle 2\nneedle 3\nneedle 4\n";
  SearchPlan plan;
  EXPECT_EQ(SelectedIn(plan, binary, 0), 1u);
  // The first is text when the window of the NUL begins behind it.
  EXPECT_EQ(SelectedIn(plan, binary, io::kBinaryWindowBytes - 100), 2u);
  plan.report = Report::kCount;
  EXPECT_EQ(SelectedIn(plan, binary, 0), 4u);
  plan.report = Report::kLines;
  plan.binary_files = BinaryFiles::kText;
  EXPECT_EQ(SelectedIn(plan, binary, 0), 4u);
}

TEST(LineScanner, StopsInLaterPiecesOfABlockToo) {
  std::string text;
  while (text.size() < (std::size_t{1} << 20)) text += "a needle in each line of a large block\n";
  text[400 << 10] = '\0';
  SearchPlan plan;
  const std::uint64_t shown = SelectedIn(plan, text, 0);
  EXPECT_GE(shown, (384 << 10) / 39u);
  EXPECT_LE(shown, (512 << 10) / 39u);
}

}  // namespace
}  // namespace mr::search
