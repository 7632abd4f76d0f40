#include "match/sequence_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "match/engine.h"
#include "match/literal_finder.h"
#include "pattern/combine.h"

namespace mr::match {
namespace {

using pattern::EmitSequences;
using pattern::Wanted;

pattern::Source ExtendedSource(const std::vector<std::string>& patterns) {
  pattern::Source source;
  source.syntax = pattern::Syntax::kExtended;
  source.patterns = patterns;
  return source;
}

std::optional<pattern::Sequences> SequencesOf(const pattern::Source& source,
                                              Wanted wanted = Wanted::kLines) {
  const pattern::Alphabet alphabet(source);
  const pattern::Combined combined = pattern::Combine(source, alphabet);
  return EmitSequences(combined.tree, alphabet, source.terminator, wanted);
}

// Each byte set by its members, up to three of them, or their number.
std::string Spelled(const pattern::Sequences& sequences) {
  std::string text;
  for (const auto& sequence : sequences.any_of) {
    if (!text.empty()) text += " or ";
    for (const auto& set : sequence.bytes) {
      std::string members;
      for (std::size_t byte = 0; byte < set.size(); ++byte) {
        if (set[byte]) members += byte == '\n' ? '$' : static_cast<char>(byte);
      }
      if (members.size() == 1) {
        text += members;
      } else {
        text +=
            members.size() <= 3 ? "[" + members + "]" : "<" + std::to_string(members.size()) + ">";
      }
    }
    if (!sequence.whole) text += "..";
  }
  return text;
}

struct Emitted {
  const char* pattern;
  const char* sequences;
};

class EmitSequencesFor : public testing::TestWithParam<Emitted> {};

TEST_P(EmitSequencesFor, FindsTheRunThatTellsTheMost) {
  const auto sequences = SequencesOf(ExtendedSource({GetParam().pattern}));
  EXPECT_EQ(sequences ? Spelled(*sequences) : "none", GetParam().sequences) << GetParam().pattern;
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, EmitSequencesFor,
    testing::Values(Emitted{"abc", "abc"}, Emitted{"ab|cd|e", "ab or cd or e"},
                    Emitted{"a[bc]d", "a[bc]d"}, Emitted{"0x[0-9a-f]{3}", "0x<16><16><16>"},
                    // what may be missing or be repeated at an end is left out
                    Emitted{"a*bc+", "bc"}, Emitted{"a{2,}b", "aab"}, Emitted{"(ab)+c?", "ab"},
                    // inside, what is repeated is adjacent to what stands at either side of it
                    Emitted{"ab+c", "bc.."}, Emitted{"xyz.*q", "xyz.."}, Emitted{"ab{2}c", "abbc"},
                    Emitted{"ab?c", "c.."}, Emitted{"q{2,3}ab", "qqab"},
                    // lines
                    Emitted{"^ab", "$ab"}, Emitted{"ab$", "ab$"}, Emitted{"^$", "$$"},
                    Emitted{"^(a|bc)$", "$a$ or $bc$"}, Emitted{"a^b", "ab.."},
                    Emitted{"a$b", "a$.."}, Emitted{"^^a$$", "$a$"}, Emitted{"a?^b", "$b"},
                    Emitted{"\\bab\\>", "ab.."},
                    // branches of groups
                    Emitted{"x(a|b)(c|d)", "xac or xbc or xad or xbd"},
                    Emitted{"x(aa|b)y", "xaay or xby"},
                    // no byte to tell a branch by
                    Emitted{"a*", "none"}, Emitted{"ab|c*", "none"}, Emitted{"", "none"},
                    Emitted{"^", "$"}, Emitted{"(a|b*){3}", "none"}, Emitted{"(a)\\1", "a.."}));

TEST(EmitSequences, LeavesNothingOutForMatches) {
  const auto sequences = SequencesOf(ExtendedSource({"a{2,}bc?"}), Wanted::kMatches);
  ASSERT_TRUE(sequences);
  EXPECT_EQ(Spelled(*sequences), "aab..");
  EXPECT_FALSE(sequences->exact);
}

TEST(EmitSequences, ComesToAnEndForRepeatsOfRepeats) {
  for (const char* pattern :
       {"((((a*b){1000}){1000}){1000}){1000}c", "((((^){1000}){1000}){1000}){1000}c",
        "(((a{999}){999}){999}){999}"}) {
    EXPECT_TRUE(SequencesOf(ExtendedSource({pattern}))) << pattern;
  }
}

TEST(EmitSequences, IsRefusedForTooManyBranches) {
  EXPECT_TRUE(SequencesOf(ExtendedSource(std::vector<std::string>(32, "ab"))));
  EXPECT_FALSE(SequencesOf(ExtendedSource(std::vector<std::string>(33, "ab"))));
}

std::set<std::size_t> MatchingLines(Matcher& matcher, std::string_view text, char terminator) {
  std::set<std::size_t> begins;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(terminator, begin), text.size());
    if (matcher.Matches(text.substr(begin, end - begin))) begins.insert(begin);
    begin = end + 1;
  }
  return begins;
}

// As the search asks for them: each line once. `last` becomes where the finder ended.
std::set<std::size_t> FoundLines(CandidateFinder& finder, std::string_view text, char terminator,
                                 std::size_t& last) {
  std::set<std::size_t> begins;
  std::size_t settled = 0;
  last = finder.Scan(text, [&](std::size_t at) {
    EXPECT_LT(at, text.size());
    if (at < settled) return settled;
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind(terminator, at - 1);
    begins.insert(before == std::string_view::npos ? 0 : before + 1);
    return settled = std::min(text.find(terminator, at), text.size() - 1) + 1;
  });
  return begins;
}

// Patterns of the kinds that have sequences, and some that have none.
class PatternMaker {
 public:
  explicit PatternMaker(std::mt19937& random) : random_(random) {}

  std::string Make() {
    std::string text = Chance(8) ? "^" : "";
    for (int i = Number(1, 4); i > 0; --i) text += Part();
    if (Chance(8)) text += "$";
    return text;
  }

 private:
  bool Chance(int one_in) { return random_() % static_cast<unsigned>(one_in) == 0; }
  int Number(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  std::string Part() {
    static const std::vector<std::string> kAtoms = {
        "a", "b",      "K",        "s", "ab",   "x_", "[ab]", "[0-9]", "[a-z_]",        "[^a]",
        ".", "(a|bs)", "(b|x|ks)", "é", "[éa]", "д",  "\\b",  "\\<",   "(ab|[0-9]{2})", "[K-S]",
        "^", "$"};
    static const std::vector<std::string> kRepeats = {"",  "",  "",    "",     "*",
                                                      "+", "?", "{2}", "{2,}", "{1,3}"};
    return kAtoms[random_() % kAtoms.size()] + kRepeats[random_() % kRepeats.size()];
  }

  std::mt19937& random_;
};

std::string PiecedText(std::mt19937& random, std::size_t bytes, bool ascii) {
  static const std::vector<std::string> kPieces = {
      "a",    "b",    "ab",  "ks", "S", "_",      "x_",     "0", "19", " ",    "\n",   "\n",
      "\n\n", "abab", "aaa", "é",  "É", "\u017f", "\u212a", "д", "Д",  "\xc3", "\xa9", "\xff"};
  std::string text;
  while (text.size() < bytes) text += kPieces[random() % (ascii ? 15 : kPieces.size())];
  if (random() % 2 == 0) text += '\n';
  return text;
}

class SequenceFinder : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, bytes() ? "C" : "C.UTF-8"), nullptr); }
  static bool bytes() { return GetParam() % 2 == 0; }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_P(SequenceFinder, LosesNoLineAndAddsNoneWhereItIsExact) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  PatternMaker maker(random);
  int planned = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<std::string> patterns;
    for (auto i = 1 + random() % (round % 10 == 0 ? 20 : 3); i > 0; --i) {
      patterns.push_back(maker.Make());
    }
    pattern::Source source = ExtendedSource(patterns);
    if (bytes()) source.charset = pattern::Charset::kBytes;
    source.ignore_case = random() % 3 == 0;
    source.match_word = random() % 4 == 0;
    source.match_line = random() % 4 == 0;
    source.nul_ends_line = false;
    const auto engine = Engine::Compile(source);
    const auto matcher = engine->NewMatcher();
    const auto finder = engine->NewCandidateFinder();
    if (finder == nullptr) continue;
    ++planned;
    for (int i = 0; i < 20; ++i) {
      const bool ascii = i % 2 == 0;
      const std::string text = PiecedText(random, random() % (i % 5 == 0 ? 2000 : 150), ascii);
      const auto expected = MatchingLines(*matcher, text, '\n');
      const bool exact = finder->exact() || (ascii && finder->exact_on_ascii());
      std::size_t last = 0;
      const auto found = FoundLines(*finder, text, '\n', last);
      std::string all;
      for (const auto& one : patterns) all += one + '\n';
      for (const auto& [option, is_set] :
           {std::pair('i', source.ignore_case), std::pair('w', source.match_word),
            std::pair('x', source.match_line)}) {
        if (is_set) all += {'-', option, '\n'};
      }
      ASSERT_EQ(last, text.size());
      ASSERT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()))
          << all << "in\n"
          << text;
      if (exact) {
        ASSERT_EQ(found, expected) << all << "in\n" << text;
      }
    }
  }
  EXPECT_GT(planned, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SequenceFinder, testing::Range(0, 20));

TEST(SequencePlan, NeedsBytesThatAreRareEnough) {
  const auto planned = [](const std::vector<std::string>& patterns) {
    return PlanSequences(*SequencesOf(ExtendedSource(patterns))).has_value();
  };
  EXPECT_EQ(planned({"0x[0-9a-f]{8}"}), LiteralFindersRun());
  EXPECT_EQ(planned({"pm_resume|PM_SUSPEND|ERR_SYS|LINK_REQ_RST"}), LiteralFindersRun());
  EXPECT_EQ(planned({"^$"}), LiteralFindersRun());
  EXPECT_FALSE(planned({"a"}));
  EXPECT_FALSE(planned({"[a-z][a-z]"}));
  EXPECT_FALSE(planned({"[A-Z_]{24,}"}));
  EXPECT_FALSE(planned({"0x[0-9a-f]{8}", "[a-z] "}));
}

TEST(SequencePlan, PutsManySequencesIntoEightBuckets) {
  if (!LiteralFindersRun()) return;
  std::vector<std::string> patterns;
  for (char c = 'A'; c < 'A' + 26; ++c) patterns.push_back(std::string("_Q") + c + "_");
  const auto plan = PlanSequences(*SequencesOf(ExtendedSource(patterns)));
  ASSERT_TRUE(plan);
  std::multiset<std::size_t> members;
  for (const auto& bucket : plan->buckets) members.insert(bucket.begin(), bucket.end());
  EXPECT_EQ(members.size(), patterns.size());
  EXPECT_EQ(std::set<std::size_t>(members.begin(), members.end()).size(), patterns.size());
}

TEST(SequenceFinderAtNul, StopsThereAndReportsNothingBehindIt) {
  if (!LiteralFindersRun()) return;
  pattern::Source source = ExtendedSource({"q_[0-9]z", "#[a-f]x!"});
  const auto engine = Engine::Compile(source);
  const auto finder = engine->NewCandidateFinder();
  ASSERT_NE(finder, nullptr);
  ASSERT_TRUE(finder->stops_at_nul());
  for (std::size_t size = 0; size < 200; ++size) {
    std::string text(size, 'a');
    text += "q_1z\n";
    text += '\0';
    text += "#ax!\nq_2z\n";
    text.append(200, 'b');
    std::size_t last = 0;
    EXPECT_EQ(FoundLines(*finder, text, '\n', last), std::set<std::size_t>{0}) << size;
    EXPECT_EQ(last, size + 5);
  }
}

}  // namespace
}  // namespace mr::match
