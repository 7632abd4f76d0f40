// The candidate finder against the exact engine, wherever a text lies in memory and however long
// it is: vector instructions treat beginnings and ends of texts apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "match/engine.h"
#include "match/line_by_line.h"

namespace mr::match {
namespace {

constexpr std::size_t kVector_bytes = 64;

std::string RandomLines(std::mt19937& random, std::size_t size) {
  static constexpr std::string_view kCharacters = "abcAB_ 1.{xx\n";
  std::string text;
  while (text.size() < size) text += kCharacters[random() % kCharacters.size()];
  return text;
}

std::set<std::size_t> LinesWithMatch(Matcher& matcher, std::string_view text) {
  std::set<std::size_t> begins;
  ForEachLine(text, 0, '\n', [&](std::string_view line, std::size_t begin) {
    if (matcher.Matches(line)) begins.insert(begin);
    return false;
  });
  return begins;
}

std::set<std::size_t> ReportedLines(CandidateFinder& finder, std::string_view text) {
  std::set<std::size_t> begins;
  finder.Scan(text, [&](std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    begins.insert(before == std::string_view::npos ? 0 : before + 1);
    return at + 1;
  });
  return begins;
}

TEST(CandidateFinder, FindsTheSameLinesWhereverATextLiesInMemory) {
  const std::vector<std::string> patterns = {
      "a",        "_a",           "a.",        "[^a]_",    "_b*_",        "^b*x",
      "\\<_\\>",  "[ac]$",        "^(1|_b|B)", "a+[^a]",   "[ac]{0,2}x.", "[A-Z_]{1,2}\\..",
      "x(ab|c)",  "ab|bc|B_1|xa", "1b*",       "[ac]?_b*", "^[A-Z_]+$",   "{_|1{",
      "[xab]{4}", "x1*a"};
  std::mt19937 random(20261130);
  for (const std::string& pattern : patterns) {
    pattern::Source source;
    source.syntax = pattern::Syntax::kExtended;
    source.patterns = {pattern};
    source.nul_ends_line = false;
    const auto engine = Engine::Compile(source);
    const auto matcher = engine->NewMatcher();
    const auto finder = engine->NewCandidateFinder();
    if (finder == nullptr) continue;  // a build without Vectorscan
    for (int round = 0; round < 100; ++round) {
      const std::string text = RandomLines(random, 1 + random() % (round % 2 == 0 ? 90 : 700));
      const std::set<std::size_t> expected = LinesWithMatch(*matcher, text);
      for (std::size_t offset = 0; offset < kVector_bytes; offset += 1 + random() % 16) {
        std::string memory(2 * kVector_bytes + text.size() + kVector_bytes, 'a');
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
        const std::size_t at = (kVector_bytes - begin % kVector_bytes) + offset;
        memory.replace(at, text.size(), text);
        const bool exact = finder->exact();
        const auto reported =
            ReportedLines(*finder, std::string_view(memory).substr(at, text.size()));
        const bool all =
            std::includes(reported.begin(), reported.end(), expected.begin(), expected.end());
        ASSERT_TRUE(exact ? reported == expected : all)
            << pattern << " at offset " << offset << " in\n"
            << text;
      }
    }
  }
}

// Letters beyond ASCII have two forms or more, of one length or of several, and bytes that other
// letters share.
TEST(CandidateFinder, LosesNoFormOfALetterUnderIgnoreCase) {
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  const std::vector<std::string> patterns = {
      "система", "ЙОД", "йод", "не",     "вот", "Ёж", "σίσυφος",
      "ΣΊΣΥΦΟΣ", "ǆep", "ĳs",  "größe",  "İi",  "ıI", "кириллица.*ёж",
      "ß",       "ſ",   "Ⅷ",   "ვეფხვი", "été", "ꙋ",  "µ",
      "ÿÿ",      "ạạ"};
  const std::vector<std::string> pieces = {"система",   "СИСТЕМА", "СиСтЕмА",
                                           "ёистема",   "йод",     "ЙОД",
                                           "ᲀᲂᲄ", "вот",     "Вᲂᲅ",
                                           "ёж",        "ЁЖ",      "σίσυφος",
                                           "ΣΊΣΥΦΟΣ",   "σίσυφοσ", "ǆep",
                                           "ǅEP",       "Ǆep",     "ĳS",
                                           "größe",     "GRÖSSE",  "GRÖßE",
                                           "İi",        "ıI",      "кириллица и ёж",
                                           "ß",         "ẞ",       "s",
                                           "ſ",         "S",       "ⅷ",
                                           "Ⅷ",         "ვეფხვი",  "ᲕᲔᲤᲮᲕᲘ",
                                           "ÉTÉ",       "été",     "Ꙋ",
                                           "ᲈ",       "µ",       "Μ",
                                           "μ",         "ÿŸ",      "ŸŸ",
                                           "ạẠ",        " ",       "\n",
                                           "\n",        "\xd1",    "\x81",
                                           "\xe1",      "a",       "не",
                                           "НЕ"};
  std::mt19937 random(20261130);
  int finders = 0;
  for (const std::string& pattern : patterns) {
    pattern::Source source;
    source.syntax = pattern::Syntax::kExtended;
    source.patterns = {pattern};
    source.ignore_case = true;
    source.nul_ends_line = false;
    const auto engine = Engine::Compile(source);
    const auto matcher = engine->NewMatcher();
    const auto finder = engine->NewCandidateFinder();
    if (finder == nullptr) continue;
    ++finders;
    for (int round = 0; round < 200; ++round) {
      std::string text;
      const std::size_t size = 1 + random() % (round % 2 == 0 ? 90 : 700);
      while (text.size() < size) text += pieces[random() % pieces.size()];
      const std::set<std::size_t> expected = LinesWithMatch(*matcher, text);
      const bool exact = finder->exact();
      const std::set<std::size_t> reported = ReportedLines(*finder, text);
      ASSERT_TRUE(std::includes(reported.begin(), reported.end(), expected.begin(), expected.end()))
          << pattern << " in\n"
          << text;
      if (exact) {
        ASSERT_EQ(reported, expected) << pattern << " in\n" << text;
      }
    }
  }
  EXPECT_GT(finders, 15);
  std::setlocale(LC_CTYPE, "C");
}

}  // namespace
}  // namespace mr::match
