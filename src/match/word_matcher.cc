// GNU grep's rule: take the leftmost-longest match; if a word character touches it, try shorter
// matches at the same place; then go on behind that place.
#include "match/word_matcher.h"

#include "match/line_by_line.h"
#include "match/word_test.h"

namespace mr::match {
namespace {

class WordMatcher final : public LineByLineMatcher {
 public:
  WordMatcher(std::unique_ptr<Matcher> inner, const pattern::Source& source, bool left_to_c_library)
      : LineByLineMatcher(source.terminator),
        inner_(std::move(inner)),
        word_test_(source, left_to_c_library) {}

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    for (std::optional<Span> found = inner_->Find(line, from); found;) {
      const std::size_t begin = found->begin;
      if (!word_test_.IsWordBefore(line, begin)) {
        while (true) {
          if (!word_test_.IsWordAt(line, found->end)) return found;
          if (found->end == begin) break;
          found = inner_->Find(line.substr(0, found->end - 1), begin);
          if (!found || found->begin != begin) break;
          if (found->end == begin && !word_test_.TakesEmpty()) break;
        }
      }
      if (begin >= line.size()) break;
      found = inner_->Find(line, word_test_.Next(line, begin));
    }
    return std::nullopt;
  }

  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    // Lines without any match need not be looked at one by one.
    while (from < block.size()) {
      const std::optional<std::size_t> at = inner_->FindLine(block, from);
      if (!at) return std::nullopt;
      std::size_t begin = *at == 0 ? std::string_view::npos : block.rfind(terminator(), *at - 1);
      begin = begin == std::string_view::npos ? 0 : begin + 1;
      std::size_t end = block.find(terminator(), *at);
      if (end == std::string_view::npos) end = block.size();
      if (Matches(block.substr(begin, end - begin))) return begin;
      from = end + 1;
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<Matcher> inner_;
  WordTest word_test_;
};

}  // namespace

std::unique_ptr<Matcher> NewWordMatcher(std::unique_ptr<Matcher> inner,
                                        const pattern::Source& source, bool left_to_c_library) {
  return std::make_unique<WordMatcher>(std::move(inner), source, left_to_c_library);
}

}  // namespace mr::match
