#include "lab/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/report/svg.h"

namespace mr::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, ShowsEveryTextAsItself) {
  EXPECT_EQ(EscapeHtml("a < b && c > 'd' \"e\""),
            "a &lt; b &amp;&amp; c &gt; &#39;d&#39; &quot;e&quot;");
  EXPECT_EQ(EscapeHtml("größe ✓ 𝄞"), "größe ✓ 𝄞");
}

TEST(Html, HoldsNothingButUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(EscapeHtml("caf\xe9"), "caf" + bad);
  EXPECT_EQ(EscapeHtml("\xc3"), bad);                      // cut
  EXPECT_EQ(EscapeHtml("\xc0\xaf"), bad + bad);            // longer than needed
  EXPECT_EQ(EscapeHtml("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(EscapeHtml("\xf4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(EscapeHtml("a\x1b[m"), "a" + bad + "[m");
}

TEST(Html, PagesNeedNothingFromElsewhere) {
  const std::string page = HtmlPage("a <title>", "<h1>x</h1>");
  EXPECT_THAT(page, HasSubstr("<title>a &lt;title&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST(Html, TablesTellWordsFromFigures) {
  const Table table{.header = {"arm", "n"}, .rows = {{"<r>", "12"}}, .word_columns = 1};
  EXPECT_THAT(HtmlTable(table), HasSubstr("<td class=\"word\">&lt;r&gt;</td><td>12</td>"));
}

TEST(Scale, HasRoundTicksThatEncloseTheValues) {
  const Scale scale(0, 7.3, 100, 200);
  EXPECT_EQ(scale.ticks(), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_DOUBLE_EQ(scale.At(0), 100);
  EXPECT_DOUBLE_EQ(scale.At(8), 200);
  EXPECT_DOUBLE_EQ(scale.At(2), 125);
}

TEST(Scale, OfNothingIsStillOne) {
  const Scale scale(0, 0, 0, 10);
  EXPECT_DOUBLE_EQ(scale.At(0), 0);
  EXPECT_GE(scale.ticks().size(), 2u);
}

TEST(Svg, IsReadableWithoutEyes) {
  const Svg svg(10, 20, "what \"is\" there");
  EXPECT_THAT(svg.Finish(), HasSubstr("aria-label=\"what &quot;is&quot; there\""));
}

}  // namespace
}  // namespace mr::lab
