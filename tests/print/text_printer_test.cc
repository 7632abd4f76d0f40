#include "print/text_printer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace mr::print {
namespace {

// Finds a fixed text; the empty text matches everywhere.
class FakeMatcher : public match::Matcher {
 public:
  explicit FakeMatcher(std::string text) : text_(std::move(text)) {}
  std::optional<match::Span> Find(std::string_view line, std::size_t from) override {
    const std::size_t at = line.find(text_, from);
    if (at == std::string_view::npos) return std::nullopt;
    return match::Span{at, at + text_.size()};
  }
  std::optional<std::size_t> FindLine(std::string_view, std::size_t) override {
    return std::nullopt;
  }

 private:
  std::string text_;
};

search::Line MakeLine(std::string_view text) {
  search::Line line;
  line.path = "dir/file";
  line.text = text;
  line.offset = 100;
  line.number = 7;
  line.file_bytes = 123456;
  return line;
}

std::string Print(const TextStyle& style, const search::Line& line,
                  search::Flow flow = search::Flow::kContinue, const char* pattern = "b") {
  TextPrinter printer(style, std::make_unique<FakeMatcher>(pattern));
  search::RenderedText out;
  EXPECT_EQ(printer.Accept(line, out), flow);
  return std::string(out.bytes());
}

TEST(TextPrinter, PrintsTheLineWithItsTerminator) {
  TextStyle style;
  EXPECT_EQ(Print(style, MakeLine("abc")), "abc\n");
  style.terminator = '\0';
  EXPECT_EQ(Print(style, MakeLine("abc")), std::string("abc\0", 4));
}

TEST(TextPrinter, PutsNameNumberAndOffsetInFront) {
  TextStyle style;
  style.file_names = style.line_numbers = style.byte_offsets = true;
  EXPECT_EQ(Print(style, MakeLine("abc")), "dir/file:7:100:abc\n");
  search::Line context = MakeLine("xyz");
  context.selected = false;
  EXPECT_EQ(Print(style, context), "dir/file-7-100-xyz\n");
  style.null_after_name = true;
  EXPECT_EQ(Print(style, MakeLine("abc")), std::string("dir/file\0"
                                                       "7:100:abc\n",
                                                       19));
}

TEST(TextPrinter, AlignsNumbersByTheSizeOfTheFile) {
  TextStyle style;
  style.line_numbers = style.initial_tab = true;
  EXPECT_EQ(Print(style, MakeLine("abc")), "     7:\tabc\n");
  EXPECT_EQ(Print(style, MakeLine("")), "     7:\n");
  search::Line line = MakeLine("abc");
  line.file_bytes = 999;  // line 1000 is possible
  EXPECT_EQ(Print(style, line), "   7:\tabc\n");
  line.file_bytes = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Print(style, line), std::string(18, ' ') + "7:\tabc\n");
}

TEST(TextPrinter, OnlyMatchingPrintsEachMatchWithItsOffset) {
  TextStyle style;
  style.only_matching = style.byte_offsets = true;
  EXPECT_EQ(Print(style, MakeLine("abcb")), "101:b\n103:b\n");
  EXPECT_EQ(Print(style, MakeLine("abc"), search::Flow::kContinue, ""), "");
  search::Line context = MakeLine("abc");
  context.selected = false;
  EXPECT_EQ(Print(style, context), "");
  style.invert = true;
  EXPECT_EQ(Print(style, context), "101-b\n");
  EXPECT_EQ(Print(style, MakeLine("abc")), "");
}

TEST(TextPrinter, RefusesEncodingErrorsOnlyInWhatIsPrinted) {
  TextStyle style;
  EXPECT_EQ(Print(style, MakeLine("b\x80"), search::Flow::kNotText), "");
  style.any_bytes = true;
  EXPECT_EQ(Print(style, MakeLine("b\x80")), "b\x80\n");
  style.any_bytes = false;
  style.encoding = Encoding::kBytes;
  EXPECT_EQ(Print(style, MakeLine("b\x80")), "b\x80\n");
  style.encoding = Encoding::kUtf8;
  style.only_matching = true;
  EXPECT_EQ(Print(style, MakeLine("b\x80")), "b\n");
}

TEST(TextPrinter, ColoursMatchesPrefixesAndTheRestOfTheLine) {
  TextStyle style;
  style.colors.emplace();
  style.colors->erase_line = false;
  EXPECT_EQ(Print(style, MakeLine("abc")), "a\33[01;31mb\33[mc\n");
  style.file_names = true;
  EXPECT_EQ(Print(style, MakeLine("x")), "\33[35mdir/file\33[m\33[36m:\33[mx\n");
  style.file_names = false;
  style.colors->selected_line = "1";
  EXPECT_EQ(Print(style, MakeLine("abc\r")), "\33[1ma\33[01;31mb\33[m\33[1mc\33[m\r\n");
  EXPECT_EQ(Print(style, MakeLine("xyz")), "\33[1mxyz\33[m\n");
}

TEST(TextPrinter, ReverseExchangesTheLineColoursUnderInvert) {
  TextStyle style;
  style.colors.emplace();
  style.colors->erase_line = false;
  style.colors->selected_line = "1";
  style.colors->context_line = "2";
  style.invert = true;
  EXPECT_EQ(Print(style, MakeLine("x")), "\33[1mx\33[m\n");
  style.colors->reverse = true;
  EXPECT_EQ(Print(style, MakeLine("x")), "\33[2mx\33[m\n");
}

TEST(TextPrinter, FinishPrintsCountsAndNames) {
  TextStyle style;
  const search::FileSummary found{"f", 3, false};
  const search::FileSummary none{"g", 0, false};
  const auto finish = [&](const search::FileSummary& summary) {
    search::RenderedText text;
    TextPrinter(style, nullptr).Finish(summary, text);
    return std::string(text.bytes());
  };
  EXPECT_EQ(finish(found), "");
  style.report = search::Report::kCount;
  EXPECT_EQ(finish(found), "3\n");
  style.file_names = true;
  EXPECT_EQ(finish(none), "g:0\n");
  style.report = search::Report::kFilesWithMatches;
  EXPECT_EQ(finish(found), "f\n");
  EXPECT_EQ(finish(none), "");
  style.null_after_name = true;
  style.report = search::Report::kFilesWithoutMatch;
  EXPECT_EQ(finish(found), "");
  EXPECT_EQ(finish(none), std::string("g\0", 2));
  style.silent = true;
  EXPECT_EQ(finish(none), "");
}

TEST(TextPrinter, GapIsTheSeparatorAndANewline) {
  TextStyle style;
  search::RenderedText out;
  TextPrinter(style, nullptr).Gap(out);
  EXPECT_EQ(out.bytes(), "--\n");
  style.group_separator.reset();
  TextPrinter(style, nullptr).Gap(out);
  EXPECT_EQ(out.bytes(), "--\n");
}

TEST(TextPrinter, LinesAreCopiedWhenNothingIsAdded) {
  TextStyle style;
  EXPECT_TRUE(TextPrinter(style, nullptr).copies_lines());
  style.initial_tab = true;
  EXPECT_TRUE(TextPrinter(style, nullptr).copies_lines());
  style.line_numbers = true;
  EXPECT_FALSE(TextPrinter(style, nullptr).copies_lines());
}

}  // namespace
}  // namespace mr::print
