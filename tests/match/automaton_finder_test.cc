#include "match/automaton_finder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "match/engine.h"
#include "pattern/combine.h"
#include "pattern/emit_positions.h"

namespace mr::match {
namespace {

pattern::Source MakeSource(const std::string& text) {
  pattern::Source source;
  source.syntax = pattern::Syntax::kExtended;
  source.charset = pattern::Charset::kBytes;
  source.patterns = {text};
  return source;
}

std::optional<AutomatonPlan> MakePlan(const pattern::Source& source) {
  const pattern::Alphabet alphabet(source);
  const pattern::Combined combined = pattern::Combine(source, alphabet);
  const auto positions = pattern::EmitPositions(combined.tree, alphabet, source.terminator);
  if (!positions) return std::nullopt;
  auto automaton = LineAutomaton::Make(*positions, source.terminator);
  if (!automaton) return std::nullopt;
  return AutomatonPlan{std::move(*automaton), source.terminator, positions->exact,
                       positions->exact_on_ascii};
}

// Lines of all lengths, some of them longer than what is read at once.
std::string RandomText(std::mt19937& random, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    std::size_t length = random() % 60;
    if (random() % 40 == 0) length = random() % 30000;
    for (; length > 0; --length) text += "abcd 019.,_"[random() % 11];
    text += '\n';
  }
  if (random() % 2 == 0) text.pop_back();
  return text;
}

std::size_t LineOf(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return before == std::string::npos ? 0 : before + 1;
}

class AutomatonFinder : public testing::TestWithParam<const char*> {};

TEST_P(AutomatonFinder, ReportsTheLinesThatTheExactEngineSelectsInOrder) {
  const pattern::Source source = MakeSource(GetParam());
  const auto plan = MakePlan(source);
  ASSERT_TRUE(plan);
  ASSERT_TRUE(plan->exact);
  const auto finder = NewAutomatonFinder(*plan);
  const auto engine = Engine::Compile(source);
  const auto matcher = engine->NewMatcher();
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    const std::string text = RandomText(random, random() % 120000);
    std::vector<std::size_t> lines;
    std::size_t last = 0;
    EXPECT_EQ(text.size(), finder->Scan(text, [&](std::size_t at) {
      EXPECT_GE(at, last);
      last = at;
      lines.push_back(LineOf(text, at));
      return at + 1;
    }));
    std::vector<std::size_t> expected;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (matcher->Matches(std::string_view(text).substr(begin, end - begin))) {
        expected.push_back(begin);
      }
      begin = end + 1;
    }
    ASSERT_EQ(lines, expected) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, AutomatonFinder,
                         testing::Values("[ab]{3}", "[a-d]{5} +[a-d]{5}", "[0-9]+[.][0-9]+",
                                         "a|1{5}|_b", "(ab|c)*d{2}[^ ]", "a.{0,3}b,", "x|y",
                                         "[abc]{40}", ".", "^$", "^[ab]", "[0-9]$", "^ *$",
                                         "(^[ab]|[cd]$|^)_", "^([ab]|$)", "^a?$", "[.,]+(x|$)"));

TEST(AutomatonFinderInterest, StopsAndPassesOverAsItIsTold) {
  const auto plan = MakePlan(MakeSource("[ab]{2}"));
  ASSERT_TRUE(plan);
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "xabx\n";
  int calls = 0;
  NewAutomatonFinder(*plan)->Scan(text, [&](std::size_t) { return ++calls == 5 ? kStop : 0; });
  EXPECT_EQ(calls, 5);
  calls = 0;
  NewAutomatonFinder(*plan)->Scan(text, [&](std::size_t at) {
    ++calls;
    return at + 5 * 100;
  });
  EXPECT_EQ(calls, 100);
}

TEST(LineAutomaton, IsRefusedWhenItsStatesDouble) {
  EXPECT_FALSE(MakePlan(MakeSource("[ab][^x]{20}c")));
  EXPECT_TRUE(MakePlan(MakeSource("[ab][^x]{4}c")));
}

TEST(EmitPositions, LeavesOutWhatItCannotSay) {
  for (const char* text :
       {"a*", "^", "a?$", "a*$|b*", "a\\b", "(a)\\1", "a{700}", "(a{200}){200}"}) {
    EXPECT_FALSE(MakePlan(MakeSource(text))) << text;
  }
}

struct Relaxed {
  const char* pattern;
  pattern::Charset charset;
  std::vector<const char*> matches;
  std::vector<const char*> differs;
};

TEST(EmitPositions, RelaxesWhatIsLeftToTheCLibrary) {
  using pattern::Charset;
  const std::vector<Relaxed> table = {
      {"\\<a", Charset::kBytes, {"a", "-a", "_ ab"}, {"", "ba", "-"}},
      {"\\<a", Charset::kUtf8, {"a", "ba"}, {"", "-"}},
      {"a\\b-|^\\>", Charset::kBytes, {"a-", "xa-"}, {"", "a", "-a"}},
      {"\\Ba\\B", Charset::kBytes, {"bab"}, {"a", "ba", "ab", "b-a"}},
      {"(a)\\1b", Charset::kBytes, {"aab", "ab", "axb"}, {"aa", "b"}},
      {"^[^a]b$", Charset::kBytes, {"bb"}, {"ab", "b", "xbb"}},
      {"^[^a]b$", Charset::kUtf8, {"bb", "ab", "b", "xbb"}, {"bbc", "c"}},
      {"x\\wy", Charset::kUtf8, {"xy", "x--y"}, {"x", "yx"}},
      {"x(\\>)?y", Charset::kBytes, {"xy"}, {"x", "x-y"}},
      {"^x|y$", Charset::kBytes, {"x", "xa", "ay"}, {"ax", "ya", ""}},
  };
  for (const Relaxed& row : table) {
    pattern::Source source = MakeSource(row.pattern);
    source.charset = row.charset;
    const pattern::Alphabet alphabet(source);
    const auto positions = pattern::EmitPositions(pattern::Combine(source, alphabet).tree, alphabet,
                                                  source.terminator, pattern::Unsayable::kRelaxed);
    ASSERT_TRUE(positions) << row.pattern;
    const auto automaton = LineAutomaton::Make(*positions, source.terminator);
    ASSERT_TRUE(automaton) << row.pattern;
    for (const char* line : row.matches) {
      EXPECT_TRUE(automaton->Matches(line, '\n')) << row.pattern << " in " << line;
    }
    for (const char* line : row.differs) {
      EXPECT_FALSE(automaton->Matches(line, '\n')) << row.pattern << " in " << line;
    }
  }
}

}  // namespace
}  // namespace mr::match
