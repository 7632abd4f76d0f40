#include "differential/case_generator.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "differential/input_generator.h"
#include "differential/locales.h"
#include "differential/pattern_generator.h"
#include "differential/random.h"

namespace differential {
namespace {

using namespace std::string_view_literals;

struct Choice {
  unsigned percent;
  std::string_view option;
};

constexpr std::array kSwitches = {Choice{20, "-i"},
                                  Choice{13, "-v"},
                                  Choice{15, "-w"},
                                  Choice{10, "-x"},
                                  Choice{9, "-c"},
                                  Choice{4, "-l"},
                                  Choice{3, "-L"},
                                  Choice{14, "-o"},
                                  Choice{2, "-q"},
                                  Choice{4, "-s"},
                                  Choice{22, "-n"},
                                  Choice{12, "-b"},
                                  Choice{12, "-H"},
                                  Choice{8, "-h"},
                                  Choice{10, "-a"},
                                  Choice{6, "-z"},
                                  Choice{3, "-Z"},
                                  Choice{4, "-T"},
                                  Choice{5, "-U"},
                                  Choice{5, "-I"},
                                  Choice{1, "-u"},
                                  Choice{15, "--color=always"},
                                  Choice{1, "--no-ignore-case"},
                                  Choice{1, "-y"},
                                  Choice{1, "--line-buffered"}};

// Long spellings, abbreviations, bundles, oddities and plain mistakes.
constexpr std::array kRareOptions = {"--line-number"sv,
                                     "--inv"sv,
                                     "--ignore"sv,
                                     "--word-reg"sv,
                                     "--count"sv,
                                     "--only"sv,
                                     "--byte-offset"sv,
                                     "--files-with-m"sv,
                                     "--files-without-match"sv,
                                     "--null"sv,
                                     "--null-data"sv,
                                     "--initial-tab"sv,
                                     "--text"sv,
                                     "--no-messages"sv,
                                     "--quiet"sv,
                                     "--silent"sv,
                                     "-nH"sv,
                                     "-inv"sv,
                                     "-bo"sv,
                                     "-A1n"sv,
                                     "--max-count=2"sv,
                                     "--max-count=-1"sv,
                                     "-m-5"sv,
                                     "-m1K"sv,
                                     "-mx"sv,
                                     "-A-1"sv,
                                     "-Bfoo"sv,
                                     "--context=q"sv,
                                     "--context"sv,
                                     "--binary-files=foo"sv,
                                     "--color=foo"sv,
                                     "--colour=always"sv,
                                     "--colou=never"sv,
                                     "--no-group-separator"sv,
                                     "--group-separator=##"sv,
                                     "--group-separator="sv,
                                     "-dskip"sv,
                                     "-dread"sv,
                                     "-drecurse"sv,
                                     "-dfoo"sv,
                                     "-Dskip"sv,
                                     "-Dread"sv,
                                     "-Dfoo"sv,
                                     "--frobnicate"sv,
                                     "-Y"sv,
                                     "--no"sv,
                                     "--label=there"sv,
                                     "--basic-regexp"sv,
                                     "--with-filename"sv,
                                     "--no-filename"sv,
                                     "-2"sv,
                                     "-10"sv,
                                     "-n3"sv,
                                     "--binary"sv,
                                     "--colo"sv,
                                     "--in"sv,
                                     "-X"sv,
                                     "--line-regexp"sv};

constexpr std::array kColors = {"mt=01;32"sv,  "ms=01;32:mc=01;33"sv,
                                "sl=1:cx=2"sv, "rv:sl=1:cx=2"sv,
                                "ne"sv,        "fn=34:ln=33:bn=31:se=35"sv,
                                "ne:mt=7"sv,   "sl=1:rv"sv,
                                "mt="sv,       "foo=1:mt=4"sv,
                                "mt=x"sv};

// `text` in ISO-8859-1 as far as that has its characters; the others stay as their bytes.
std::string EightBit(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if ((lead == 0xc2 || lead == 0xc3) && i + 1 < text.size() &&
        (static_cast<unsigned char>(text[i + 1]) & 0xc0) == 0x80) {
      bytes += static_cast<char>((lead & 3U) << 6 | (static_cast<unsigned char>(text[++i]) & 63U));
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, std::uint64_t number) : random_(seed, number) {
    case_.number = number;
  }

  Case Make() {
    const std::size_t locale = random_.Below(100);
    case_.locale = locale < 42   ? "C.UTF-8"
                   : locale < 82 ? "C"
                   : locale < 92 ? kNationalUtf8
                                 : kEightBit;
    ChoosePatterns();
    ChooseOptions();
    ChooseFiles();
    if (case_.locale == kEightBit) {
      for (auto& pattern : case_.patterns) pattern = EightBit(pattern);
      for (auto& file : case_.files) file.bytes = EightBit(file.bytes);
    }
    case_.one_stream = random_.Chance(20);
    return std::move(case_);
  }

 private:
  void ChoosePatterns() {
    const std::size_t kind = random_.Below(100);
    Syntax syntax = Syntax::kBasic;
    if (kind < 32) {
      if (random_.Chance(15)) case_.options.emplace_back("-G");
    } else if (kind < 68) {
      syntax = Syntax::kExtended;
      case_.options.emplace_back("-E");
    } else if (kind < 84) {
      syntax = Syntax::kFixed;
      case_.options.emplace_back("-F");
    } else {
      syntax = Syntax::kPerl;
      case_.options.emplace_back("-P");
    }
    alphabet_ = random_.Pick(std::array{Alphabet::kTiny, Alphabet::kTiny, Alphabet::kWords,
                                        Alphabet::kUnicode, Alphabet::kPunctuation});
    std::size_t count = random_.Chance(12) ? 2 + random_.Below(3) : 1;
    if (syntax == Syntax::kFixed && random_.Chance(10)) count = 20;
    if (syntax == Syntax::kPerl && random_.Chance(90)) count = 1;
    for (std::size_t i = 0; i < count; ++i) {
      Pattern pattern = MakePattern(random_, syntax, alphabet_);
      case_.patterns.push_back(std::move(pattern.text));
      likely_.insert(likely_.end(), pattern.samples.begin(), pattern.samples.end());
    }
    if (random_.Chance(1)) case_.patterns.clear();
    const std::size_t style = random_.Below(100);
    case_.pattern_style = style < 60   ? PatternStyle::kOperand
                          : style < 85 ? PatternStyle::kOption
                                       : PatternStyle::kFile;
    if (case_.patterns.empty()) case_.pattern_style = PatternStyle::kFile;
  }

  void ChooseOptions() {
    // Half of the cases get few options, so that the patterns are what matters.
    const unsigned weight = random_.Chance(50) ? 25 : 100;
    for (const auto& choice : kSwitches) {
      if (random_.Below(100 * 100) < static_cast<std::size_t>(choice.percent) * weight) {
        case_.options.emplace_back(choice.option);
      }
    }
    if (random_.Chance(7)) {
      case_.options.push_back("-m" + std::to_string(random_.Below(4)));
    }
    if (random_.Chance(14)) {
      case_.options.push_back(std::string("-") + "ABC"[random_.Below(3)] +
                              std::to_string(random_.Below(4)));
      if (random_.Chance(25)) {
        case_.options.push_back(std::string("-") + "AB"[random_.Below(2)] +
                                std::to_string(random_.Below(3)));
      }
    }
    if (random_.Chance(6)) ChooseCombination();
    if (random_.Chance(5)) {
      static constexpr std::array kTypes = {"binary"sv, "text"sv, "without-match"sv};
      case_.options.push_back("--binary-files=" + std::string(random_.Pick(kTypes)));
    }
    if (random_.Chance(5)) case_.options.emplace_back(random_.Pick(kRareOptions));
    if (case_.HasOption("--colo") && random_.Chance(25)) {
      case_.grep_colors = random_.Pick(kColors);
    }
    // The order matters now and then (-E -F, -A1 -C2), so it is random too.
    for (std::size_t i = case_.options.size(); i > 1; --i) {
      std::swap(case_.options[i - 1], case_.options[random_.Below(i)]);
    }
  }

  // Options that count the same lines in ways of their own, together.
  void ChooseCombination() {
    case_.options.push_back("-m" + std::to_string(1 + random_.Below(3)));
    case_.options.emplace_back("-b");
    case_.options.push_back(std::string("-") + "ABC"[random_.Below(3)] +
                            std::to_string(random_.Below(3)));
    if (random_.Chance(30)) case_.options.emplace_back("-v");
    if (random_.Chance(20)) case_.options.emplace_back("-z");
    if (random_.Chance(20)) case_.options.emplace_back("-U");
  }

  void AddFile(const std::string& name) {
    case_.files.push_back({name, MakeContents(random_, alphabet_, likely_)});
  }

  void ChooseFiles() {
    if (random_.Chance(8)) {
      ChooseTree();
      return;
    }
    const std::size_t count = random_.Chance(65) ? 1 : 2 + random_.Below(2);
    for (std::size_t i = 0; i < count; ++i) {
      AddFile(std::string("f") + std::to_string(i));
      case_.operands.push_back(case_.files.back().name);
    }
    if (random_.Chance(20)) {
      // The first file by standard input, with or without its dash.
      case_.standard_input = case_.files[0].name;
      if (count == 1 && random_.Chance(70)) {
        case_.operands.clear();
      } else {
        case_.operands[0] = "-";
      }
    }
    if (random_.Chance(3)) case_.operands.emplace_back("missing");
    if (random_.Chance(3)) case_.operands.emplace_back("d");
  }

  void ChooseTree() {
    for (const char* name : {"d/a.c", "d/b.h", "d/sub/c.c"}) {
      if (random_.Chance(75)) AddFile(name);
    }
    case_.options.emplace_back(random_.Chance(70) ? "-r" : "-R");
    if (random_.Chance(80)) {
      case_.operands.emplace_back(random_.Chance(80) ? "d" : "d/");
    }
    static constexpr std::array kFilters = {
        "--include=*.c"sv,   "--exclude=*.c"sv, "--exclude-dir=sub"sv, "--include=b*"sv,
        "--exclude-dir=d"sv, "--exclude=d"sv,   "--exclude=sub/c.c"sv, "--exclude-dir=sub/"sv};
    while (random_.Chance(30)) case_.options.emplace_back(random_.Pick(kFilters));
  }

  Random random_;
  Alphabet alphabet_ = Alphabet::kTiny;
  std::vector<std::string> likely_;
  Case case_;
};

}  // namespace

Case MakeCase(std::uint64_t seed, std::uint64_t number) { return CaseMaker(seed, number).Make(); }

}  // namespace differential
