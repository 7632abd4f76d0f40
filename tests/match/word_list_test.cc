// Long lists of fixed strings, judged by GNU grep.
#include <gtest/gtest.h>

#include <clocale>
#include <fstream>
#include <random>
#include <set>

#include "match/engine.h"
#include "match/grep_oracle.h"

namespace mr::match {
namespace {

using pattern::Source;
using pattern::Syntax;

std::string RandomWord(std::mt19937& random, std::size_t longest) {
  static const std::vector<std::string> kLetters = {"a", "b", "s",        "S",        "i",
                                                    "k", "_", "\xc3\xa9", "\xc3\x89", "-"};
  std::string word;
  for (std::size_t n = 1 + random() % longest; n > 0; --n)
    word += kLetters[random() % kLetters.size()];
  return word;
}

class WordListOfLength : public testing::TestWithParam<int> {};

TEST_P(WordListOfLength, AgreesWithGrepInEveryCombinationOfOptions) {
  ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);
  std::mt19937 random(7);
  Source source;
  source.syntax = Syntax::kFixed;
  for (int i = 0; i < GetParam(); ++i) {
    const std::string word = RandomWord(random, 4) + RandomWord(random, 3);
    source.patterns.push_back(GetParam() < 1000 ? word : RandomWord(random, 8) + word);
  }
  std::string text;
  for (int i = 0; i < 400; ++i) {
    std::string line;
    for (std::size_t n = random() % 4; n > 0; --n)
      line += RandomWord(random, 8) + (random() % 2 ? " " : "");
    // Some lines are words of the list, for -x, or hold U+017F, which is an s under -i.
    if (i % 10 == 0) line = source.patterns[random() % source.patterns.size()];
    if (i % 7 == 0) line += "\xc5\xbf" + source.patterns[random() % source.patterns.size()];
    text += line + "\n";
  }
  GrepOracle oracle("C.UTF-8");
  oracle.SetText(text);
  for (const bool ignore_case : {false, true}) {
    for (const char* bound : {"", "-w", "-x"}) {
      source.ignore_case = ignore_case;
      source.match_word = bound == std::string("-w");
      source.match_line = bound == std::string("-x");
      std::vector<std::string> options = {"-F", "-n"};
      if (ignore_case) options.push_back("-i");
      if (*bound != '\0') options.push_back(bound);
      SCOPED_TRACE(std::string(bound) + (ignore_case ? " -i" : ""));

      const auto engine = Engine::Compile(source);
      EXPECT_EQ(engine->name(), "trie");
      const auto matcher = engine->NewMatcher();
      const auto finder = engine->NewCandidateFinder();
      std::set<std::size_t> candidates;
      if (finder != nullptr) {
        finder->Scan(text, [&](std::size_t at) {
          candidates.insert(text.find('\n', at));
          return at + 1;
        });
      }
      std::string lines;
      std::string spans;
      std::size_t number = 1;
      for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t end = text.find('\n', begin);
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        if (matcher->Matches(line)) {
          lines += std::to_string(number) + ":" + std::string(line) + "\n";
          EXPECT_TRUE(finder == nullptr || candidates.count(end) == 1) << line;
        } else if (finder != nullptr && finder->exact()) {
          EXPECT_EQ(candidates.count(end), 0u) << line;
        }
        for (std::size_t from = 0;;) {
          const auto span = matcher->Find(line, from);
          if (!span) break;
          from = span->end;
          spans += std::to_string(number) + ":" +
                   std::string(line.substr(span->begin, span->end - span->begin)) + "\n";
        }
        begin = end + 1;
      }
      EXPECT_EQ(lines, oracle.Run(options, source.patterns));
      // Behind the first match of a line GNU grep cuts -w's shorter attempts too short.
      if (!source.match_word) {
        options.push_back("-o");
        EXPECT_EQ(spans, oracle.Run(options, source.patterns));
      }
    }
  }
}

// Lists of thousands have a finder of their own.
INSTANTIATE_TEST_SUITE_P(Lengths, WordListOfLength, testing::Values(150, 2500));

TEST(WordList, TakesAHundredThousandWords) {
  Source source;
  source.syntax = Syntax::kFixed;
  for (int i = 0; i < 100000; ++i) source.patterns.push_back("word" + std::to_string(i * 7919));
  const auto engine = Engine::Compile(source);
  const auto matcher = engine->NewMatcher();
  EXPECT_TRUE(matcher->Matches("a word" + std::to_string(99999 * 7919) + "!"));
  EXPECT_FALSE(matcher->Matches("a wor and a word-"));
  const auto finder = engine->NewCandidateFinder();
  ASSERT_NE(finder, nullptr);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "nothing\nword" + std::to_string(i * 7919) + "\nelse\n";
  std::set<std::size_t> lines;
  finder->Scan(text, [&](std::size_t at) {
    const std::size_t end = text.find('\n', at);
    EXPECT_TRUE(
        matcher->Matches(text.substr(text.rfind('\n', at) + 1, end - text.rfind('\n', at) - 1)));
    lines.insert(end);
    return end;
  });
  EXPECT_EQ(lines.size(), 1000u);
}

}  // namespace
}  // namespace mr::match
