#include "app/mrgrep/patterns.h"

#include <utility>

#include "app/mrgrep/text_file.h"

namespace mr::app {

void PatternList::AddText(std::string_view text) { AddLines(text, kTyped); }

void PatternList::AddFile(const std::string& path) {
  std::string text = ReadTextFile(path);
  given_ = true;
  if (text.empty()) return;
  if (text.back() == '\n') text.pop_back();
  files_.push_back(path);
  AddLines(text, static_cast<std::uint32_t>(files_.size() - 1));
}

void PatternList::AddLines(std::string_view text, std::uint32_t file) {
  given_ = true;
  for (std::uint32_t number = 1;; ++number) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    if (seen_.emplace(line).second) {
      patterns_.emplace_back(line);
      origins_.push_back({file, number});
    }
    if (newline == std::string_view::npos) return;
    text.remove_prefix(newline + 1);
  }
}

void PatternList::MoveTo(pattern::Source& source) {
  seen_.clear();
  source.patterns = std::exchange(patterns_, {});
  if (!files_.empty()) {
    source.origin = [files = std::exchange(files_, {}),
                     origins = std::exchange(origins_, {})](std::size_t i) {
      const Origin& origin = origins[i];
      return origin.file == kTyped ? std::string()
                                   : files[origin.file] + ":" + std::to_string(origin.line);
    };
  }
  if (source.syntax != pattern::Syntax::kPerl || source.patterns.size() < 2) return;
  std::string joined;
  for (const std::string& pattern : source.patterns) joined += pattern + '\n';
  joined.pop_back();
  source.patterns = {std::move(joined)};
  source.origin = nullptr;
}

}  // namespace mr::app
