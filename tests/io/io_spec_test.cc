#include "io/io_spec.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/size.h"

namespace mr::io {
namespace {

TEST(Size, ReadsBinaryMultiples) {
  EXPECT_EQ(ParseSize("0"), 0U);
  EXPECT_EQ(ParseSize("4096"), 4096U);
  EXPECT_EQ(ParseSize("64K"), 65536U);
  EXPECT_EQ(ParseSize("64k"), 65536U);
  EXPECT_EQ(ParseSize("64KiB"), 65536U);
  EXPECT_EQ(ParseSize("1MB"), 1048576U);
  EXPECT_EQ(ParseSize("2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(ParseSize("15E"), std::uint64_t{15} << 60);
  EXPECT_EQ(ParseSize("7B"), 7U);
}

TEST(Size, RejectsWhatIsNotASize) {
  for (const char* text : {"", "K", "-1", "+1", "1.5G", "1 K", "1KK", "1KiBs", "16E", "1X", "0x10",
                           "99999999999999999999"}) {
    EXPECT_FALSE(ParseSize(text)) << text;
  }
}

TEST(Size, FormatsToTheShortestExactText) {
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{65536},
        std::uint64_t{3} << 30, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_EQ(ParseSize(FormatSize(bytes)), bytes);
  }
  EXPECT_EQ(FormatSize(65536), "64K");
  EXPECT_EQ(FormatSize(1536), "1536");
}

TEST(Size, IsRoughForPeople) {
  EXPECT_EQ(RoughSize(0), "0");
  EXPECT_EQ(RoughSize(1023), "1023");
  EXPECT_EQ(RoughSize(1024), "1.0K");
  EXPECT_EQ(RoughSize(2052167894), "1.9G");
  EXPECT_EQ(RoughSize(1.5 * 1024 * 1024), "1.5M");
}

TEST(IoSpec, SurvivesFormatting) {
  for (const char* text :
       {"auto", "read", "read:buffer=64K", "mmap", "mmap:window=1G",
        "mmap:window=4K,populate,advice=random", "mmap:populate,advice=willneed"}) {
    EXPECT_EQ(FormatIoSpec(ParseIoSpec(text)), text);
  }
}

TEST(IoSpec, NamesWhatIsWrong) {
  const auto message = [](const char* text) -> std::string {
    try {
      ParseIoSpec(text);
    } catch (const IoSpecError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("floppy"), "unknown IO mode 'floppy'");
  EXPECT_EQ(message(""), "unknown IO mode ''");
  EXPECT_EQ(message("read:"), "empty option in IO mode 'read:'");
  EXPECT_EQ(message("read:window=1M"), "IO mode 'read' has no option 'window'");
  EXPECT_EQ(message("auto:buffer=1M"), "IO mode 'auto' has no option 'buffer'");
  EXPECT_EQ(message("read:nonsense"), "IO mode 'read' has no option 'nonsense'");
  EXPECT_EQ(message("read:direct=1"), "IO mode 'read' has no option 'direct'");
  EXPECT_EQ(message("mmap:populate=1"), "IO option 'populate' takes no value");
  EXPECT_EQ(message("mmap:window"), "IO option 'window' needs a value");
  EXPECT_EQ(message("read:buffer=0"), "invalid size '0' for IO option 'buffer'");
  EXPECT_EQ(message("read:buffer=x"), "invalid size 'x' for IO option 'buffer'");
  EXPECT_EQ(message("mmap:advice=maybe"), "unknown advice 'maybe'");
}

}  // namespace
}  // namespace mr::io
