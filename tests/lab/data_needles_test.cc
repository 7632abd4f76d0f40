#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "lab/data/chunk.h"
#include "lab/data/needles.h"

namespace mr::lab {
namespace {

TEST(NeedlePlan, PutsEachNeedleIntoTheChunkOfItsByte) {
  for (const std::uint64_t needles : {1, 2, 3, 7, 100, 1000}) {
    const std::uint64_t size = 37 * kChunkBytes + 4711;
    const NeedlePlan plan = NeedlePlan::ByBytes(needles, size);
    std::vector<std::uint64_t> expected(38);
    for (std::uint64_t k = 0; k < needles; ++k) {
      ++expected[(2 * k + 1) * size / (2 * needles) / kChunkBytes];
    }
    for (std::uint64_t chunk = 0; chunk < expected.size(); ++chunk) {
      EXPECT_EQ(plan.CountIn(chunk), expected[chunk]) << needles << " needles, chunk " << chunk;
    }
  }
}

TEST(NeedlePlan, ByLinesNeverAsksForMoreThanThereAre) {
  const std::vector<std::uint32_t> places = {5, 0, 1, 17, 0, 0, 300, 2};
  const std::uint64_t total = std::accumulate(places.begin(), places.end(), std::uint64_t{0});
  for (std::uint64_t needles = 0; needles <= total; ++needles) {
    const NeedlePlan plan = NeedlePlan::ByLines(needles, places);
    std::uint64_t sum = 0;
    for (std::size_t chunk = 0; chunk < places.size(); ++chunk) {
      EXPECT_LE(plan.CountIn(chunk), places[chunk]);
      sum += plan.CountIn(chunk);
    }
    EXPECT_EQ(sum, needles);
  }
}

TEST(NeedlePlan, HoldsForFilesOfManyTerabytes) {
  const std::uint64_t size = std::uint64_t{1} << 62;
  const NeedlePlan plan = NeedlePlan::ByBytes(size / 4096, size);
  EXPECT_EQ(plan.CountIn(0), kChunkBytes / 4096);
  EXPECT_EQ(plan.CountIn(size / kChunkBytes - 1), kChunkBytes / 4096);
}

TEST(PlantNeedles, FillsEveryPlaceWhenThereAreAsManyNeedles) {
  std::string text = "abcd\nefgh\nijkl\n";
  const std::vector<Place> places = {{0, 4}, {5, 4}, {10, 4}};
  const auto offsets = PlantNeedles(text, places, "XYZ", 3, Random(1));
  ASSERT_EQ(offsets.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(offsets[i], places[i].offset);
    EXPECT_LE(offsets[i] + 3, places[i].offset + 4);
    EXPECT_EQ(text.substr(offsets[i], 3), "XYZ");
  }
  EXPECT_EQ(text.size(), 15U);
}

TEST(PlantNeedles, SetsBlanksAroundAndLeavesTheRestAlone) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string text = "before|aaaaaaaaaaaaaaaa|after";
    const auto offsets = PlantNeedles(text, std::vector<Place>{{7, 16}}, "XY", 1, Random(seed));
    std::string expected = "before|aaaaaaaaaaaaaaaa|after";
    expected.replace(offsets[0], 2, "XY");
    if (offsets[0] > 7) expected[offsets[0] - 1] = ' ';
    if (offsets[0] + 2 < 23) expected[offsets[0] + 2] = ' ';
    EXPECT_EQ(text, expected);
  }
}

TEST(PlantNeedles, ReplacesCharactersWhole) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::string text = "жжжжж€€€€€жжж€жaж";
    const auto length = static_cast<std::uint32_t>(text.size());
    PlantNeedles(text, std::vector<Place>{{0, length}}, "XYZ", 1, Random(seed));
    for (std::size_t at = 0; at < text.size();) {
      const auto lead = static_cast<unsigned char>(text[at]);
      const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xE0 ? 3 : 2;
      ASSERT_TRUE(lead < 0x80 || lead >= 0xC0) << "half a character in " << text;
      for (std::size_t i = 1; i < bytes; ++i) {
        ASSERT_LT(at + i, text.size());
        ASSERT_EQ(static_cast<unsigned char>(text[at + i]) & 0xC0, 0x80) << text;
      }
      at += bytes;
    }
  }
}

std::uint64_t LinesWith(const std::string& text, const std::string& needle) {
  std::istringstream stream(text);
  std::uint64_t count = 0;
  for (std::string line; std::getline(stream, line);) {
    count += line.find(needle) != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(NeedleCounter, CountsTheSameHoweverTheBytesAreCut) {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint32_t n = random.Below(60); n > 0; --n) text += "aab\nb"[random.Below(5)];
    const char* const needles[] = {"a", "ab", "aab", "aaa", "baab", "ababa"};
    const std::string needle = needles[random.Below(6)];
    NeedleCounter counter(needle);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t bytes = std::min<std::size_t>(1 + random.Below(9), text.size() - at);
      counter.Feed(std::string_view(text).substr(at, bytes));
      at += bytes;
    }
    ASSERT_EQ(counter.lines_with_needle(), LinesWith(text, needle)) << needle << " in " << text;
    ASSERT_EQ(counter.newlines(),
              static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

TEST(NeedleCounter, CountsNewlinesByTheThousand) {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 255 * 64, 255 * 64 + 1, 100000}) {
    NeedleCounter counter("x");
    counter.Feed(std::string(bytes, '\n'));
    EXPECT_EQ(counter.newlines(), bytes);
  }
}

}  // namespace
}  // namespace mr::lab
