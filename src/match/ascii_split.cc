#include "match/ascii_split.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "match/line_by_line.h"

namespace mr::match {
namespace {

// How much of a block is looked at before an engine is chosen for it: enough to repay a call,
// little enough that a stray character does not send much text to the slower engine.
constexpr std::size_t kPieceBytes = 16 << 10;

class AsciiSplitMatcher final : public Matcher {
 public:
  AsciiSplitMatcher(std::unique_ptr<Matcher> ascii, std::function<std::unique_ptr<Matcher>()> other,
                    char terminator)
      : ascii_(std::move(ascii)), make_other_(std::move(other)), terminator_(terminator) {}

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    return For(line).Find(line, from);
  }

  bool Matches(std::string_view line) override { return For(line).Matches(line); }

  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    while (from < block.size()) {
      std::size_t end = block.find(terminator_, std::min(from + kPieceBytes, block.size() - 1));
      end = end == std::string_view::npos ? block.size() : end + 1;
      const std::string_view piece = block.substr(from, end - from);
      const std::optional<std::size_t> at = For(piece).FindLine(piece, 0);
      if (at) return from + *at;
      from = end;
    }
    return std::nullopt;
  }

 private:
  Matcher& For(std::string_view text) {
    if (IsAscii(text)) return *ascii_;
    if (other_ == nullptr) other_ = make_other_();
    return *other_;
  }

  std::unique_ptr<Matcher> ascii_;
  std::unique_ptr<Matcher> other_;
  std::function<std::unique_ptr<Matcher>()> make_other_;
  char terminator_;
};

}  // namespace

bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t seen = 0;
  for (; left >= 32; at += 32, left -= 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    seen = words[0] | words[1] | words[2] | words[3];
    if ((seen & kHighBits) != 0) return false;
  }
  unsigned char rest = 0;
  for (; left > 0; ++at, --left) rest |= static_cast<unsigned char>(*at);
  return (rest & 0x80) == 0;
}

std::unique_ptr<Matcher> NewAsciiSplit(std::unique_ptr<Matcher> ascii,
                                       std::function<std::unique_ptr<Matcher>()> other,
                                       char terminator) {
  return std::make_unique<AsciiSplitMatcher>(std::move(ascii), std::move(other), terminator);
}

}  // namespace mr::match
