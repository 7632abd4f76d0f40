#include "print/color_theme.h"

#include <gtest/gtest.h>

namespace mr::print {
namespace {

ColorTheme With(std::string_view text) {
  ColorTheme theme;
  ApplyGrepColors(text, theme);
  return theme;
}

TEST(GrepColors, EachNameSetsItsField) {
  const ColorTheme theme = With("ms=1:mc=2:sl=3:cx=4:fn=5:ln=6:bn=7:se=8:rv:ne");
  EXPECT_EQ(theme.selected_match, "1");
  EXPECT_EQ(theme.context_match, "2");
  EXPECT_EQ(theme.selected_line, "3");
  EXPECT_EQ(theme.context_line, "4");
  EXPECT_EQ(theme.file_name, "5");
  EXPECT_EQ(theme.line_number, "6");
  EXPECT_EQ(theme.byte_offset, "7");
  EXPECT_EQ(theme.separator, "8");
  EXPECT_TRUE(theme.reverse);
  EXPECT_FALSE(theme.erase_line);
}

TEST(GrepColors, MtSetsBothKindsOfMatch) {
  EXPECT_EQ(With("mt=01;32").selected_match, "01;32");
  EXPECT_EQ(With("mt=01;32").context_match, "01;32");
  EXPECT_EQ(With("ms=1:mt").context_match, "1");
  EXPECT_EQ(With("mt=").selected_match, "");
}

TEST(GrepColors, UnknownAndEmptyNamesArePassedOver) {
  EXPECT_EQ(With("::zz=3:yy:ln=9").line_number, "9");
  EXPECT_EQ(With("fn").file_name, "35");
}

TEST(GrepColors, FirstMistakeEndsTheReading) {
  EXPECT_EQ(With("fn=1:ms=x:ln=9").file_name, "1");
  EXPECT_EQ(With("fn=1:ms=x:ln=9").line_number, "32");
  EXPECT_EQ(With("fn=1=2:ln=9").file_name, "35");
  EXPECT_EQ(With("=1:ln=9").line_number, "32");
  EXPECT_EQ(With("fn=1 :ln=9").file_name, "35");
}

TEST(GrepColors, OnlyDigitsAndSemicolonsAreSentToATerminal) {
  EXPECT_TRUE(IsSgr("01;31"));
  EXPECT_FALSE(IsSgr("01;31m"));
  EXPECT_FALSE(IsSgr(""));
}

}  // namespace
}  // namespace mr::print
