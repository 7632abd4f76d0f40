#include "print/text_check.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cwchar>
#include <string>

namespace mr::print {
namespace {

bool AcceptedByTheLibrary(std::string_view bytes) {
  std::mbstate_t state{};
  while (!bytes.empty()) {
    const std::size_t length = std::mbrlen(bytes.data(), bytes.size(), &state);
    if (length > bytes.size()) return false;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return true;
}

class TextCheckInUtf8 : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_F(TextCheckInUtf8, AgreesWithTheLibraryOnEveryBeginningOfASequence) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      for (const std::string tail :
           {"", "\x80", "\xbf\x80", "\x80\x80\x80", "\x80\xbf\x80\x80", "a"}) {
        std::string bytes{static_cast<char>(first), static_cast<char>(second)};
        bytes += tail;
        ASSERT_EQ(IsText(bytes, Encoding::kUtf8), AcceptedByTheLibrary(bytes))
            << first << ' ' << second << ' ' << tail.size();
        ASSERT_EQ(IsText(bytes, Encoding::kLocale), AcceptedByTheLibrary(bytes))
            << first << ' ' << second << ' ' << tail.size();
      }
    }
  }
}

TEST_F(TextCheckInUtf8, FindsAnErrorAtEveryPlaceOfALongLine) {
  for (std::size_t size = 1; size < 100; ++size) {
    const std::string good = std::string(size, 'a') + "\xc3\xa9";
    EXPECT_TRUE(IsText(good, Encoding::kUtf8));
    for (std::size_t at = 0; at < size; ++at) {
      std::string bad = good;
      bad[at] = '\x80';
      EXPECT_FALSE(IsText(bad, Encoding::kUtf8)) << size << ' ' << at;
    }
  }
}

// Text of a script of two bytes a letter is looked at in pieces of 16.
TEST_F(TextCheckInUtf8, AgreesWithTheLibraryOnLinesOfLettersWithOneByteChanged) {
  for (const std::string piece : {"д", "дa", "дd ы", "д€", "aдé😀"}) {
    std::string line;
    while (line.size() < 70) line += piece;
    EXPECT_TRUE(IsText(line, Encoding::kUtf8));
    for (std::size_t at = 0; at < line.size(); ++at) {
      for (const char byte : {'\x80', '\xbf', '\xc1', '\xc2', '\xdf', '\xe0', '\xff', 'a', '\0'}) {
        std::string changed = line;
        changed[at] = byte;
        EXPECT_EQ(IsText(changed, Encoding::kUtf8), AcceptedByTheLibrary(changed)) << piece << at;
        EXPECT_EQ(IsText(changed.substr(0, at + 1), Encoding::kUtf8),
                  AcceptedByTheLibrary(changed.substr(0, at + 1)))
            << piece << at;
      }
    }
  }
}

TEST(TextCheck, TakesTruncatedSequencesForErrors) {
  EXPECT_FALSE(IsText("a\xe2\x82", Encoding::kUtf8));
  EXPECT_FALSE(IsText("\xc3", Encoding::kUtf8));
  EXPECT_TRUE(IsText("", Encoding::kUtf8));
  EXPECT_TRUE(IsText(std::string_view("\0", 1), Encoding::kUtf8));
}

TEST(TextCheck, TakesEveryByteInTheCLocale) {
  EXPECT_TRUE(IsText("\x80\xff\xfe", Encoding::kBytes));
}

}  // namespace
}  // namespace mr::print
