#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "data_kinds.h"
#include "lab/data/checksum.h"
#include "lab/data/chunk.h"

namespace mr::lab {
namespace {

DataSpec Spec(DataKind kind, std::uint64_t size_bytes, std::uint64_t seed = 1) {
  DataSpec spec;
  spec.kind = kind;
  spec.size_bytes = size_bytes;
  spec.seed = seed;
  return spec;
}

std::string Chunk(ChunkMaker& maker, std::uint64_t index) {
  const std::span<char> chunk = maker.Make(index, 1, nullptr);
  return {chunk.begin(), chunk.end()};
}

std::string WholeFile(const DataSpec& spec) {
  ChunkMaker maker(spec);
  std::string bytes;
  for (std::uint64_t index = 0; index < maker.chunks(); ++index) bytes += Chunk(maker, index);
  return bytes;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool IsUtf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

// Must hold on every machine and with every compiler. A change of these sums is a change of the
// data: raise kGeneratorVersion.
TEST(DataChunks, AreTheSameEverywhere) {
  constexpr std::uint64_t kSize = 600000;
  const struct {
    DataKind kind;
    std::uint64_t seed;
    const char* checksum;
  } cases[] = {
      {DataKind::kLog, 1, "1e8d8d7b04ca92d63763fdd72b9e4f2d"},
      {DataKind::kLog, 2006, "9881625fc317882c80b69ee7dcbb745f"},
      {DataKind::kSource, 1, "a11d2776737761c4a3da3b3658c54f45"},
      {DataKind::kSource, 2006, "73d2df857f68e80674be20bba0d6a509"},
      {DataKind::kProse, 1, "3749b597448b20c6e5d5630453c9b628"},
      {DataKind::kProse, 2006, "cd17881d0c0cc54c65998cc361b84e1c"},
      {DataKind::kCyrillic, 1, "02a38e8a98e3f3cb2e324ade0a960332"},
      {DataKind::kCyrillic, 2006, "06a084ffb19d5115683eb4c6d7f9be78"},
      {DataKind::kWords, 1, "4200fe39037f0b5d20730c183cddb48a"},
      {DataKind::kWords, 2006, "e49f4b9fb5ba7aef33f9724529f5d431"},
      {DataKind::kRandom, 1, "4ab19e3c122a3af0b2348b77b5cfad13"},
      {DataKind::kRandom, 2006, "51a0d8304af22b647c9f1834d2fa3a9b"},
      {DataKind::kOneLine, 1, "72b7e0f47982de64bbaf2688ee82caf1"},
      {DataKind::kOneLine, 2006, "f986ee03009c2d468556da9c8a8546e3"},
      {DataKind::kSparse, 1, "af627b7b74ebae3a3574a72203efa835"},
      {DataKind::kSparse, 2006, "94d88513db1727032d50e2be2a0ca004"},
  };
  for (const auto& test : cases) {
    Checksum checksum;
    checksum.Feed(WholeFile(Spec(test.kind, kSize, test.seed)));
    EXPECT_EQ(checksum.Hex(), test.checksum) << DataKindName(test.kind) << " seed " << test.seed;
  }
}

TEST(DataChunks, HaveExactlyTheSizeThatIsAsked) {
  for (const DataKind kind : kAllKinds) {
    for (const std::uint64_t size :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{20},
          std::uint64_t{100}, std::uint64_t{1000}, std::uint64_t{4097}, kChunkBytes - 1,
          kChunkBytes, kChunkBytes + 1, 3 * kChunkBytes + 12345}) {
      const std::string bytes = WholeFile(Spec(kind, size));
      EXPECT_EQ(bytes.size(), size) << DataKindName(kind);
      if (kind != DataKind::kRandom && kind != DataKind::kSparse) {
        EXPECT_EQ(bytes.back(), '\n') << DataKindName(kind) << " of " << size;
        EXPECT_TRUE(IsUtf8(bytes)) << DataKindName(kind) << " of " << size;
        EXPECT_EQ(bytes.find('\0'), std::string::npos) << DataKindName(kind) << " of " << size;
      }
    }
  }
}

TEST(DataChunks, CanBeMadeInAnyOrder) {
  for (const DataKind kind : kAllKinds) {
    const DataSpec spec = Spec(kind, 5 * kChunkBytes + 999);
    ChunkMaker forward(spec);
    std::vector<std::string> chunks;
    for (std::uint64_t i = 0; i < forward.chunks(); ++i) chunks.push_back(Chunk(forward, i));
    ChunkMaker backward(spec);
    for (std::uint64_t i = backward.chunks(); i-- > 0;) {
      EXPECT_EQ(Chunk(backward, i), chunks[i]) << DataKindName(kind) << " chunk " << i;
    }
    for (std::uint64_t i = 0; i < forward.chunks(); i += 2) {
      ChunkMaker alone(spec);
      EXPECT_EQ(Chunk(alone, i), chunks[i]) << DataKindName(kind) << " chunk " << i;
    }
  }
}

TEST(DataChunks, DoNotDependOnWhatFollowsThem) {
  for (const DataKind kind : kAllKinds) {
    if (kind == DataKind::kSparse) continue;  // the last group of chunks is a shorter one
    ChunkMaker small(Spec(kind, 3 * kChunkBytes));
    ChunkMaker large(Spec(kind, 9 * kChunkBytes));
    EXPECT_EQ(Chunk(small, 1), Chunk(large, 1)) << DataKindName(kind);
  }
}

TEST(DataChunks, DifferBySeedAndIndex) {
  for (const DataKind kind : kAllKinds) {
    if (kind == DataKind::kSparse) continue;
    ChunkMaker one(Spec(kind, 4 * kChunkBytes, 1));
    ChunkMaker two(Spec(kind, 4 * kChunkBytes, 2));
    EXPECT_NE(Chunk(one, 1), Chunk(two, 1)) << DataKindName(kind);
    EXPECT_NE(Chunk(one, 1), Chunk(one, 2)) << DataKindName(kind);
  }
}

TEST(DataChunks, OfferPlacesOnDifferentLines) {
  for (const DataKind kind : kAllKinds) {
    ChunkMaker maker(Spec(kind, 2 * kChunkBytes));
    std::vector<Place> places;
    const std::uint64_t index = maker.IsHole(0) ? 1 : 0;
    const std::span<char> chunk = maker.Make(index, 14, &places);
    ASSERT_FALSE(places.empty()) << DataKindName(kind);
    std::uint64_t end_before = 0;
    for (const Place& place : places) {
      ASSERT_GE(place.length, 14U);
      ASSERT_LE(place.offset + place.length, chunk.size());
      const auto begin = chunk.begin() + place.offset;
      EXPECT_EQ(std::find(begin, begin + place.length, '\n'), begin + place.length);
      if (end_before > 0) {
        ASSERT_GT(place.offset, end_before);
        EXPECT_NE(std::find(chunk.begin() + static_cast<std::ptrdiff_t>(end_before), begin, '\n'),
                  begin)
            << DataKindName(kind) << ": two places on a line";
      }
      end_before = place.offset + place.length;
    }
  }
}

TEST(DataKinds, LogLinesHaveTimesThatGoOn) {
  const std::vector<std::string> lines = Lines(WholeFile(Spec(DataKind::kLog, 2 * kChunkBytes)));
  // A digit for each 0, the rest as it is.
  const auto has_shape = [](const std::string& line) {
    constexpr std::string_view kShape = "0000-00-00T00:00:00.000000Z ";
    if (line.size() < 60) return false;
    for (std::size_t i = 0; i < kShape.size(); ++i) {
      if (kShape[i] == '0' ? line[i] < '0' || line[i] > '9' : line[i] != kShape[i]) return false;
    }
    return line[33] == ' ' && line.find(": ", 34) != std::string::npos;
  };
  std::map<std::string, int> levels;
  std::size_t misshapen = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!has_shape(lines[i])) ++misshapen;
    if (lines[i].size() > 33) ++levels[lines[i].substr(28, 5)];
    if (i > 0 && lines[i].size() > 27 && lines[i - 1].size() > 27) {
      ASSERT_GE(lines[i].substr(0, 27), lines[i - 1].substr(0, 27)) << "line " << i;
    }
  }
  EXPECT_LE(misshapen, 2U) << "the last line of each of the two chunks may be cut";
  EXPECT_GT(levels["INFO "], levels["WARN "]);
  EXPECT_GT(levels["WARN "], levels["FATAL"]);
  EXPECT_GT(levels["FATAL"], 0);
}

TEST(DataKinds, LogDatesAreThoseOfTheCalendar) {
  // 6 s for each chunk: the chunk that begins on 2024-03-01 + 306 days is the first of 2025.
  constexpr std::uint64_t kNewYear = 306 * 86400 / 6;
  ChunkMaker maker(Spec(DataKind::kLog, (kNewYear + 20000) * kChunkBytes));
  EXPECT_EQ(Chunk(maker, kNewYear - 1).substr(0, 17), "2024-12-31T23:59:");
  EXPECT_EQ(Chunk(maker, kNewYear).substr(0, 17), "2025-01-01T00:00:");
}

TEST(DataKinds, SourceBracesBalanceInEachChunk) {
  ChunkMaker maker(Spec(DataKind::kSource, 6 * kChunkBytes + 4321));
  std::map<std::ptrdiff_t, int> indentations;
  for (std::uint64_t index = 0; index < maker.chunks(); ++index) {
    const std::string chunk = Chunk(maker, index);
    int depth = 0;
    for (const char c : chunk) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      ASSERT_GE(depth, 0);
    }
    EXPECT_EQ(depth, 0) << "chunk " << index;
    for (const std::string& line : Lines(chunk)) {
      ++indentations[std::find_if(line.begin(), line.end(), [](char c) { return c != '\t'; }) -
                     line.begin()];
    }
  }
  EXPECT_GT(indentations[0], 100);
  EXPECT_GT(indentations[1], indentations[2]);
  EXPECT_GT(indentations[2], indentations[4]);
  EXPECT_GT(indentations[4], 0);
}

TEST(DataKinds, ProseHasTheSkewOfWordsAndWrapsItsLines) {
  const std::string text = WholeFile(Spec(DataKind::kProse, 4 * kChunkBytes));
  std::map<std::string, int> counts;
  int words = 0;
  std::string word;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      word += static_cast<char>(c | 0x20);
    } else if (!word.empty()) {
      ++counts[word];
      ++words;
      word.clear();
    }
  }
  EXPECT_GT(counts.size(), 2000U) << "different words";
  EXPECT_GT(counts["the"], words / 40);
  EXPECT_LT(counts["the"], words / 10);
  EXPECT_GT(counts["the"], 3 * counts["with"]);
  std::size_t longest = 0;
  std::size_t empty = 0;
  const std::vector<std::string> lines = Lines(text);
  for (const std::string& line : lines) {
    longest = std::max(longest, line.size());
    empty += line.empty() ? 1 : 0;
  }
  EXPECT_LT(longest, 100U);
  EXPECT_GT(empty, lines.size() / 100) << "between paragraphs";
  EXPECT_LT(empty, lines.size() / 5);
}

TEST(DataKinds, CyrillicIsMostlyTwoByteCharacters) {
  const std::string text = WholeFile(Spec(DataKind::kCyrillic, kChunkBytes));
  const auto leads = std::count_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) == 0xD0 || static_cast<unsigned char>(c) == 0xD1;
  });
  EXPECT_GT(static_cast<std::size_t>(leads) * 2, text.size() * 3 / 4);
}

TEST(DataKinds, WordsAreMostlyDifferent) {
  std::vector<std::string> words = Lines(WholeFile(Spec(DataKind::kWords, kChunkBytes)));
  const std::size_t all = words.size();
  EXPECT_GT(all, kChunkBytes / 14);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  EXPECT_GT(words.size(), all * 2 / 3);
}

TEST(DataKinds, OneLineIsOneJsonDocument) {
  for (const std::uint64_t size :
       {std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{15}, std::uint64_t{16}, std::uint64_t{17},
        std::uint64_t{18}, std::uint64_t{500}, kChunkBytes + 1, kChunkBytes + 2, kChunkBytes + 3,
        kChunkBytes + 20, 3 * kChunkBytes + 777}) {
    const std::string text = WholeFile(Spec(DataKind::kOneLine, size));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << size;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    EXPECT_TRUE(json.is_array()) << size << ": "
                                 << text.substr(text.size() - std::min<std::size_t>(size, 80));
  }
}

TEST(DataKinds, RandomBytesAreEvenlySpread) {
  const std::string bytes = WholeFile(Spec(DataKind::kRandom, 4 * kChunkBytes));
  std::vector<double> counts(256);
  for (const char c : bytes) ++counts[static_cast<unsigned char>(c)];
  const double expected = static_cast<double>(bytes.size()) / 256;
  double chi_squared = 0;
  for (const double count : counts) {
    chi_squared += (count - expected) * (count - expected) / expected;
  }
  // 255 degrees of freedom: outside of this once in about a million seeds.
  EXPECT_GT(chi_squared, 160);
  EXPECT_LT(chi_squared, 375);
}

TEST(DataKinds, SparseHasOneIslandInSixtyFourChunks) {
  ChunkMaker maker(Spec(DataKind::kSparse, 200 * kChunkBytes + 5));
  ASSERT_EQ(maker.chunks(), 201U);
  int islands = 0;
  std::uint64_t island_bytes = 0;
  for (std::uint64_t index = 0; index < maker.chunks(); ++index) {
    const std::string chunk = Chunk(maker, index);
    if (maker.IsHole(index)) {
      EXPECT_EQ(chunk.find_first_not_of('\0'), std::string::npos);
    } else {
      ++islands;
      island_bytes += chunk.size();
      EXPECT_EQ(chunk.find('\0'), std::string::npos);
      EXPECT_EQ(chunk.back(), '\n');
      if (index > 0) {
        EXPECT_EQ(chunk.front(), '\n') << "the hole ends with a line of its own";
      }
    }
  }
  EXPECT_EQ(islands, 4);
  EXPECT_EQ(maker.bytes_outside_holes(), island_bytes);
}

}  // namespace
}  // namespace mr::lab
