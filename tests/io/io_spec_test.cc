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

TEST(IoSpec, HoldsWhatWasGiven) {
  EXPECT_EQ(ParseIoSpec("auto").mode, Mode::kAuto);
  EXPECT_EQ(ParseIoSpec("read").mode, Mode::kRead);
  EXPECT_EQ(ParseIoSpec("read").buffer_bytes, 0U);
  EXPECT_EQ(ParseIoSpec("read:buffer=64K").buffer_bytes, 65536U);
  const IoSpec mmap = ParseIoSpec("mmap:window=4K,populate,advice=random");
  EXPECT_EQ(mmap.mode, Mode::kMmap);
  EXPECT_EQ(mmap.window_bytes, 4096U);
  EXPECT_TRUE(mmap.populate);
  EXPECT_EQ(mmap.advice, Advice::kRandom);
  EXPECT_FALSE(ParseIoSpec("mmap:advice=willneed").populate);
  EXPECT_EQ(ParseIoSpec("mmap:advice=willneed").advice, Advice::kWillNeed);
  const IoSpec uring = ParseIoSpec("uring:depth=3,direct");
  EXPECT_EQ(uring.mode, Mode::kUring);
  EXPECT_EQ(uring.depth, 3U);
  EXPECT_TRUE(uring.direct);
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
  EXPECT_EQ(message("uring:depth=0"), "invalid number '0' for IO option 'depth'");
  EXPECT_EQ(message("read:buffer=0"), "invalid size '0' for IO option 'buffer'");
  EXPECT_EQ(message("read:buffer=x"), "invalid size 'x' for IO option 'buffer'");
  EXPECT_EQ(message("mmap:advice=maybe"), "unknown advice 'maybe'");
}

}  // namespace
}  // namespace mr::io
