// Two tables, by a byte and by the one that follows it, leave the sequences that may begin there;
// the longest that holds is the match. Lines are short as a rule, and a match is never far.
#include "match/sequence_matcher.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mr::match {
namespace {

using pattern::ByteSequence;
using pattern::ByteSet;
using Members = std::uint32_t;  // a bit for each sequence

constexpr std::size_t kMostMembers = 32;

class SequenceMatcher final : public Matcher {
 public:
  explicit SequenceMatcher(const pattern::Sequences& sequences) {
    for (const ByteSequence& sequence : sequences.any_of) sequences_.push_back(sequence.bytes);
    std::stable_sort(sequences_.begin(), sequences_.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      const Members bit = Members{1} << i;
      const bool single = sequences_[i].size() == 1;
      if (single) singles_ |= bit;
      for (std::size_t byte = 0; byte < first_.size(); ++byte) {
        if (sequences_[i][0][byte]) first_[byte] |= bit;
        if (single || sequences_[i][1][byte]) second_[byte] |= bit;
      }
    }
  }

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    const auto* const text = reinterpret_cast<const unsigned char*>(line.data());
    for (std::size_t at = from; at + 1 < line.size(); ++at) {
      const Members members = first_[text[at]] & second_[text[at + 1]];
      if (members == 0) [[likely]]
        continue;
      if (const std::size_t size = Longest(line.substr(at), members); size > 0) {
        return Span{at, at + size};
      }
    }
    if (from < line.size() && (first_[text[line.size() - 1]] & singles_) != 0) {
      return Span{line.size() - 1, line.size()};
    }
    return std::nullopt;
  }

  // No sequence holds a terminator.
  std::optional<std::size_t> FindLine(std::string_view block, std::size_t from) override {
    const std::optional<Span> match = Find(block, from);
    if (!match) return std::nullopt;
    return match->begin;
  }

 private:
  // The size of the longest member that `text` begins with, or 0; the first two bytes are.
  std::size_t Longest(std::string_view text, Members members) const {
    for (; members != 0; members &= members - 1) {
      const auto& sequence = sequences_[static_cast<std::size_t>(std::countr_zero(members))];
      if (sequence.size() > text.size()) continue;
      std::size_t i = std::min<std::size_t>(2, sequence.size());
      while (i < sequence.size() && sequence[i][static_cast<unsigned char>(text[i])]) ++i;
      if (i == sequence.size()) return i;
    }
    return 0;
  }

  std::vector<std::vector<ByteSet>> sequences_;  // the longest first
  std::array<Members, 256> first_{};
  std::array<Members, 256> second_{};
  Members singles_ = 0;
};

}  // namespace

bool SequenceMatchersServe(const pattern::Sequences& sequences) {
  return sequences.exact && !sequences.any_of.empty() && sequences.any_of.size() <= kMostMembers &&
         std::none_of(sequences.any_of.begin(), sequences.any_of.end(),
                      [](const ByteSequence& s) { return s.from_line_begin || s.to_line_end; });
}

std::unique_ptr<Matcher> NewSequenceMatcher(const pattern::Sequences& sequences) {
  return std::make_unique<SequenceMatcher>(sequences);
}

}  // namespace mr::match
