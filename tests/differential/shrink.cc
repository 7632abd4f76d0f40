#include "differential/shrink.h"

#include <algorithm>
#include <string>
#include <utility>

namespace differential {
namespace {

class Shrinker {
 public:
  Shrinker(Case test_case, const std::function<bool(const Case&)>& fails, int budget)
      : case_(std::move(test_case)), fails_(fails), budget_(budget) {}

  Case Run() {
    bool smaller = true;
    while (smaller && budget_ > 0) {
      smaller = false;
      smaller |= DropMembers(&Case::options);
      smaller |= DropFiles();
      smaller |= DropMembers(&Case::operands);
      smaller |= DropMembers(&Case::patterns);
      smaller |= Plainer();
      for (std::size_t i = 0; i < case_.files.size(); ++i) {
        smaller |=
            CutBytes([i](Case& candidate) -> std::string& { return candidate.files[i].bytes; });
      }
      for (std::size_t i = 0; i < case_.patterns.size(); ++i) {
        smaller |= CutBytes([i](Case& candidate) -> std::string& { return candidate.patterns[i]; });
      }
      for (std::size_t i = 0; i < case_.options.size(); ++i) smaller |= ShortenOption(i);
    }
    return std::move(case_);
  }

 private:
  // Keeps the candidate if it still fails.
  bool Try(Case candidate) {
    if (budget_ <= 0) return false;
    --budget_;
    if (!fails_(candidate)) return false;
    case_ = std::move(candidate);
    return true;
  }

  bool DropMembers(std::vector<std::string> Case::*list) {
    bool smaller = false;
    for (std::size_t i = (case_.*list).size(); i > 0; --i) {
      Case candidate = case_;
      auto& members = candidate.*list;
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(i - 1));
      smaller |= Try(std::move(candidate));
    }
    return smaller;
  }

  bool DropFiles() {
    bool smaller = false;
    for (std::size_t i = case_.files.size(); i > 0; --i) {
      Case candidate = case_;
      const std::string name = candidate.files[i - 1].name;
      if (name == candidate.standard_input) continue;
      candidate.files.erase(candidate.files.begin() + static_cast<std::ptrdiff_t>(i - 1));
      std::erase(candidate.operands, name);
      smaller |= Try(std::move(candidate));
    }
    return smaller;
  }

  bool Plainer() {
    bool smaller = false;
    auto attempt = [&](auto&& change) {
      Case candidate = case_;
      if (change(candidate)) smaller |= Try(std::move(candidate));
    };
    attempt([](Case& candidate) { return std::exchange(candidate.locale, "C") != "C"; });
    attempt([](Case& candidate) { return std::exchange(candidate.one_stream, false); });
    attempt([](Case& candidate) { return !std::exchange(candidate.grep_colors, "").empty(); });
    attempt([](Case& candidate) {
      return std::exchange(candidate.pattern_style, PatternStyle::kOperand) !=
             PatternStyle::kOperand;
    });
    attempt([](Case& candidate) {
      // The file by name instead of by standard input.
      if (candidate.standard_input.empty()) return false;
      const std::string name = std::exchange(candidate.standard_input, "");
      std::erase(candidate.operands, "-");
      candidate.operands.insert(candidate.operands.begin(), name);
      return true;
    });
    return smaller;
  }

  template <typename Select>
  bool CutBytes(Select select) {
    bool smaller = false;
    // What is still long when coarse cuts are done needs its length; its bytes are not tried
    // singly.
    constexpr std::size_t kShort = 500;
    constexpr std::size_t kFinestShare = 64;
    for (std::size_t chunk = (select(case_).size() + 1) / 2; chunk > 0; chunk /= 2) {
      const std::size_t size = select(case_).size();
      if (size > kShort && chunk < size / kFinestShare) break;
      for (std::size_t at = 0; at < select(case_).size() && budget_ > 0;) {
        Case candidate = case_;
        select(candidate).erase(at, chunk);
        if (Try(std::move(candidate))) {
          smaller = true;
        } else {
          at += chunk;
        }
      }
    }
    return smaller;
  }

  // "-A3" to "-A1" and the like.
  bool ShortenOption(std::size_t index) {
    const std::string& option = case_.options[index];
    if (option.size() < 3 || option.back() <= '1' || option.back() > '9') return false;
    Case candidate = case_;
    candidate.options[index].back() = '1';
    return Try(std::move(candidate));
  }

  Case case_;
  const std::function<bool(const Case&)>& fails_;
  int budget_;
};

}  // namespace

Case Shrink(Case test_case, const std::function<bool(const Case&)>& fails, int budget) {
  return Shrinker(std::move(test_case), fails, budget).Run();
}

}  // namespace differential
