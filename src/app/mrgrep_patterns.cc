#include "app/mrgrep_patterns.h"

#include <utility>

#include "app/mrgrep_text_file.h"

namespace mr::app {

void PatternList::AddText(std::string_view text) {
  given_ = true;
  while (true) {
    const std::size_t newline = text.find('\n');
    AddLine(text.substr(0, newline));
    if (newline == std::string_view::npos) return;
    text.remove_prefix(newline + 1);
  }
}

void PatternList::AddFile(const std::string& path) {
  std::string text = ReadTextFile(path);
  given_ = true;
  if (text.empty()) return;
  if (text.back() == '\n') text.pop_back();
  AddText(text);
}

void PatternList::AddLine(std::string_view line) {
  std::string pattern(line);
  if (seen_.insert(pattern).second) patterns_.push_back(std::move(pattern));
}

std::vector<std::string> PatternList::Take(pattern::Syntax syntax) {
  seen_.clear();
  std::vector<std::string> patterns = std::exchange(patterns_, {});
  if (syntax != pattern::Syntax::kPerl || patterns.size() < 2) return patterns;
  std::string joined;
  for (const std::string& pattern : patterns) {
    if (!joined.empty()) joined += '\n';
    joined += pattern;
  }
  return {std::move(joined)};
}

}  // namespace mr::app
