#include "match/literal_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace mr::match {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What a finder must report of `text` when it is asked for everything: every place of the literal
// and every lead, up to the first NUL.
std::vector<std::size_t> Expected(const LiteralPlan& plan, const std::string& text) {
  const pattern::RequiredLiteral& literal = plan.literal;
  const std::size_t end = plan.stops_at_nul ? std::min(text.find('\0'), text.size()) : text.size();
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < end; ++at) {
    bool found = at + literal.bytes.size() <= text.size();
    for (std::size_t i = 0; found && i < literal.bytes.size(); ++i) {
      found = static_cast<char>(text[at + i] | literal.folds[i]) == literal.bytes[i];
    }
    const std::size_t behind = at + literal.bytes.size();
    if (found && plan.as_word) {
      found =
          (at == 0 || !IsWord(text[at - 1])) && (behind == text.size() || !IsWord(text[behind]));
    }
    if (found || literal.leads.find(text[at]) != std::string::npos) places.push_back(at);
  }
  return places;
}

LiteralPlan MakePlan(std::string bytes, std::string folds = {}) {
  LiteralPlan plan;
  folds.resize(bytes.size(), '\0');
  plan.literal.bytes = std::move(bytes);
  plan.literal.folds = std::move(folds);
  return plan;
}

class LiteralFinder : public testing::Test {
 protected:
  void SetUp() override {
    // Without its instructions there is no finder to be tested; others take its place.
    if (!LiteralFindersRun()) GTEST_SKIP() << "this processor has no AVX2";
  }
};

TEST_F(LiteralFinder, ReportsWhatComparingEveryPlaceFinds) {
  std::mt19937 random(20261130);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int round = 0; round < 4000; ++round) {
    std::string bytes;
    std::string folds;
    for (std::size_t i = 0, n = 1 + below(below(8) == 0 ? 80 : 4); i < n; ++i) {
      bytes += "ab_"[below(3)];
      folds += bytes.back() != '_' && below(2) == 0 ? '\x20' : '\0';
    }
    LiteralPlan plan = MakePlan(bytes, folds);
    for (std::size_t i = below(3); i > 0; --i) plan.literal.leads += "\xc4\xc5"[i - 1];
    plan.as_word = below(3) == 0;
    plan.stops_at_nul = below(2) == 0;
    std::string text;
    for (std::size_t n = below(below(2) == 0 ? 70 : 400); text.size() < n;) {
      const std::size_t kind = below(40);
      if (kind == 0) {
        text += bytes;
      } else {
        text += std::string_view("aabbABAB__--\n\n\xc4\xc5\x00\xff", 18)[below(kind < 4 ? 18 : 14)];
      }
    }
    std::vector<std::size_t> places;
    const auto finder = NewLiteralFinder(plan);
    const std::size_t end = finder->Scan(text, [&](std::size_t at) {
      places.push_back(at);
      return at + 1;
    });
    ASSERT_EQ(places, Expected(plan, text)) << "literal " << bytes << " in " << text;
    const std::size_t nul = std::min(text.find('\0'), text.size());
    ASSERT_EQ(end, plan.stops_at_nul ? nul : text.size());
  }
}

TEST_F(LiteralFinder, PassesOverWhatIsOfNoInterest) {
  const LiteralPlan plan = MakePlan("ab");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "ab";
  for (const std::size_t stride : {2, 3, 63, 64, 65, 130, 700}) {
    std::vector<std::size_t> places;
    NewLiteralFinder(plan)->Scan(text, [&](std::size_t at) {
      places.push_back(at);
      return at + stride;
    });
    std::size_t expected = 0;
    for (const std::size_t at : places) {
      EXPECT_EQ(at, expected) << "stride " << stride;
      expected = (at + stride + 1) / 2 * 2;
    }
    EXPECT_GE(expected, text.size());
  }
}

TEST_F(LiteralFinder, StopsWhenItIsTold) {
  const LiteralPlan plan = MakePlan("x");
  int found = 0;
  NewLiteralFinder(plan)->Scan(std::string(500, 'x'),
                               [&](std::size_t) { return ++found == 3 ? kStop : std::size_t{0}; });
  EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace mr::match
