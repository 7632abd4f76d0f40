#include "match/re2_matcher.h"

#include <re2/re2.h>

#include "match/line_by_line.h"

namespace mr::match {
namespace {

// For the program and its automata, per thread. Automata that outgrow it are thrown away and
// begun anew; only a program that does not fit into its share fails.
constexpr std::int64_t kMemoryBytes = 64 << 20;

RE2::Options OptionsFor(const pattern::Re2Regex& regex) {
  RE2::Options options;
  options.set_longest_match(true);
  options.set_never_capture(true);
  options.set_log_errors(false);
  options.set_max_mem(kMemoryBytes);
  options.set_encoding(regex.latin1 ? RE2::Options::EncodingLatin1 : RE2::Options::EncodingUTF8);
  return options;
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

class Re2Matcher final : public LineByLineMatcher {
 public:
  Re2Matcher(const pattern::Re2Regex& regex, char terminator)
      : LineByLineMatcher(terminator), re2_(Piece(regex.text), OptionsFor(regex)) {}

  bool ok() const { return re2_.ok(); }

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    re2::StringPiece match;
    if (!re2_.Match(Piece(line), from, line.size(), RE2::UNANCHORED, &match, 1)) {
      return std::nullopt;
    }
    const auto begin = static_cast<std::size_t>(match.data() - line.data());
    return Span{begin, begin + match.size()};
  }

  bool Matches(std::string_view line) override {
    return re2_.Match(Piece(line), 0, line.size(), RE2::UNANCHORED, nullptr, 0);
  }

  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    if (terminator() != '\n') return LineByLineMatcher::FindLine(block, from);
    if (from >= block.size()) return std::nullopt;
    // Behind the last terminator RE2 would see one more, empty line.
    if (block.back() == '\n') block.remove_suffix(1);
    const std::optional<Span> match = Find(block, from);
    if (!match) return std::nullopt;
    return match->begin;
  }

 private:
  RE2 re2_;
};

}  // namespace

std::unique_ptr<Matcher> NewRe2Matcher(const pattern::Re2Regex& regex, char terminator) {
  auto matcher = std::make_unique<Re2Matcher>(regex, terminator);
  if (!matcher->ok()) return nullptr;
  return matcher;
}

}  // namespace mr::match
