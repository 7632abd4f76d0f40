// A trie over bytes whose edges live in one hash table: a lookup costs one probe per byte, and
// from most places in a text the walk ends after one or two. -i walks with the upper-case form of
// each character, in which the strings were entered.
#include "match/word_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "match/gram_filter.h"
#include "match/line_by_line.h"
#include "match/word_test.h"
#include "pattern/alphabet.h"

namespace mr::match {
namespace {

constexpr std::size_t kFewest = 100;  // shorter lists are RE2's

// Shorter lists Vectorscan finds faster.
constexpr std::size_t kFewestFiltered = 500;

class Trie {
 public:
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::uint32_t kRoot = 1;

  explicit Trie(std::size_t most_edges)
      : keys_(std::bit_ceil(2 * most_edges + 2)),
        targets_(keys_.size()),
        shift_(64 - std::countr_zero(keys_.size())),
        accepts_(2) {}

  void Add(std::string_view text) {
    std::uint32_t node = kRoot;
    for (const char c : text) {
      const std::uint64_t key = Key(node, c);
      const std::size_t slot = Slot(key);
      if (keys_[slot] == 0) {
        keys_[slot] = key;
        targets_[slot] = static_cast<std::uint32_t>(accepts_.size());
        accepts_.push_back(false);
        if (node == kRoot) first_[static_cast<unsigned char>(c)] = targets_[slot];
      }
      node = targets_[slot];
    }
    accepts_[node] = true;
  }

  std::uint32_t Step(std::uint32_t node, char c) const {
    if (node == kRoot) return first_[static_cast<unsigned char>(c)];
    return targets_[Slot(Key(node, c))];
  }
  bool Accepts(std::uint32_t node) const { return accepts_[node]; }

 private:
  static std::uint64_t Key(std::uint32_t node, char c) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(c);
  }
  // Where `key` is, or the free place where it would be; targets_ is kNone there.
  std::size_t Slot(std::uint64_t key) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hashing
    std::size_t slot = key * kGolden >> shift_;
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    return slot;
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> targets_;
  int shift_;
  std::vector<bool> accepts_;
  std::array<std::uint32_t, 256> first_{};
};

class TrieList final : public WordList {
 public:
  explicit TrieList(const pattern::Source& source)
      : source_(source), alphabet_(source), trie_(CountBytes(source)) {
    for (const std::string& text : source.patterns) trie_.Add(Folded(text));
  }

  std::unique_ptr<Matcher> NewMatcher() const override;
  std::unique_ptr<CandidateFinder> NewFinder() const override;

 private:
  friend class WordListMatcher;
  friend class WordListFinder;

  std::unique_ptr<const GramFilter> MakeFilter() const;

  static std::size_t CountBytes(const pattern::Source& source) {
    // Upper-case forms may be longer than what was given, but never more than twice.
    std::size_t bytes = 0;
    for (const std::string& text : source.patterns) bytes += text.size();
    return source.ignore_case ? 2 * bytes : bytes;
  }

  std::string Folded(const std::string& text) const {
    if (!source_.ignore_case) return text;
    std::string folded;
    for (std::size_t at = 0; at < text.size();) {
      const auto decoded = alphabet_.Decode(text, at);
      alphabet_.Encode(alphabet_.Upper(*decoded.code), folded);
      at += decoded.length_bytes;
    }
    return folded;
  }

  const pattern::Source& source_;
  const pattern::Alphabet alphabet_;
  Trie trie_;
  mutable std::once_flag filter_once_;
  mutable std::unique_ptr<const GramFilter> filter_;
};

class WordListMatcher final : public LineByLineMatcher {
 public:
  explicit WordListMatcher(const TrieList& list)
      : LineByLineMatcher(list.source_.terminator), list_(list), word_test_(list.source_, false) {}

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    const pattern::Source& source = list_.source_;
    for (std::size_t begin = from; begin < line.size(); ++begin) {
      if (source.match_line && begin > 0) return std::nullopt;
      const std::size_t end = LongestEnd(line, begin);
      if (end != kNoEnd) return Span{begin, end};
    }
    return std::nullopt;
  }

  // Whether a match begins at line[at].
  bool MatchesAt(std::string_view line, std::size_t at) {
    return (at == 0 || !list_.source_.match_line) && LongestEnd(line, at) != kNoEnd;
  }

 private:
  static constexpr std::size_t kNoEnd = static_cast<std::size_t>(-1);

  // The end of the longest string at `begin` that -w or -x lets pass.
  std::size_t LongestEnd(std::string_view line, std::size_t begin) {
    const pattern::Source& source = list_.source_;
    std::size_t longest = kNoEnd;
    std::uint32_t node = Trie::kRoot;
    for (std::size_t at = begin; at < line.size();) {
      at += source.ignore_case ? StepFolded(line, at, node) : StepByte(line[at], node);
      if (node == Trie::kNone) break;
      if (list_.trie_.Accepts(node) && Passes(line, begin, at)) longest = at;
    }
    return longest;
  }

  bool Passes(std::string_view line, std::size_t begin, std::size_t end) const {
    if (list_.source_.match_line) return end == line.size();
    return !list_.source_.match_word ||
           (!word_test_.IsWordAt(line, end) && !word_test_.IsWordBefore(line, begin));
  }

  std::size_t StepByte(char c, std::uint32_t& node) const {
    node = list_.trie_.Step(node, c);
    return 1;
  }

  // Over one character; returns its length in the line.
  std::size_t StepFolded(std::string_view line, std::size_t at, std::uint32_t& node) {
    const auto decoded = list_.alphabet_.Decode(line, at);
    if (!decoded.code) {
      node = Trie::kNone;
      return 1;
    }
    folded_.clear();
    list_.alphabet_.Encode(list_.alphabet_.Upper(*decoded.code), folded_);
    for (const char c : folded_) {
      node = list_.trie_.Step(node, c);
      if (node == Trie::kNone) break;
    }
    return decoded.length_bytes;
  }

  const TrieList& list_;
  WordTest word_test_;
  std::string folded_;
};

// Asks the trie only where the filter says that a string may begin.
class WordListFinder final : public CandidateFinder {
 public:
  WordListFinder(const TrieList& list, const GramFilter& filter)
      : terminator_(list.source_.terminator), matcher_(list), filter_(filter) {}

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    const bool leads = filter_.HoldsLeads(block);
    std::size_t begin = 0;  // of the line in which the last place was
    std::size_t end = 0;
    for (std::size_t at = 0; (at = filter_.Next(block, at, leads)) < block.size();) {
      if (at >= end) {
        const std::size_t before = at == 0 ? block.npos : block.rfind(terminator_, at - 1);
        begin = before == block.npos ? 0 : before + 1;
        end = std::min(block.find(terminator_, at), block.size());
        if (at == end) {  // the terminator's place, which is no line's
          ++at;
          continue;
        }
      }
      const std::string_view line = block.substr(begin, end - begin);
      // A character that merely folds to a letter may stand anywhere in the string.
      const bool matches = leads ? matcher_.Matches(line) : matcher_.MatchesAt(line, at - begin);
      if (!matches) {
        at = leads ? end + 1 : at + 1;
        continue;
      }
      const std::size_t next = found(at);
      if (next == kStop) break;
      at = std::max(next, at + 1);
    }
    return block.size();
  }

  bool exact() const override { return true; }

 private:
  const char terminator_;
  WordListMatcher matcher_;
  const GramFilter& filter_;
};

std::unique_ptr<Matcher> TrieList::NewMatcher() const {
  return std::make_unique<WordListMatcher>(*this);
}

std::unique_ptr<CandidateFinder> TrieList::NewFinder() const {
  if (source_.patterns.size() <= kFewestFiltered) return nullptr;
  std::call_once(filter_once_, [this] { filter_ = MakeFilter(); });
  return filter_ == nullptr ? nullptr : std::make_unique<WordListFinder>(*this, *filter_);
}

std::unique_ptr<const GramFilter> TrieList::MakeFilter() const {
  std::vector<std::string_view> beginnings(source_.patterns.begin(), source_.patterns.end());
  std::size_t length = std::numeric_limits<std::size_t>::max();
  for (const std::string_view text : beginnings) {
    std::size_t plain = text.size();
    if (source_.ignore_case) {  // beyond ASCII the cases of a letter have other bytes
      const auto beyond = std::find_if(text.begin(), text.end(),
                                       [](char c) { return static_cast<signed char>(c) < 0; });
      plain = static_cast<std::size_t>(beyond - text.begin());
    }
    length = std::min(length, plain);
  }
  if (length < GramFilter::kLeastBytes) return nullptr;
  std::string leads;
  if (source_.ignore_case) {
    for (char32_t letter = 'a'; letter <= 'z'; ++letter) {
      const pattern::CharSet same = alphabet_.Fold(letter);
      for (const pattern::CharRange& range : same.ranges()) {
        if (range.first < 0x80) continue;
        std::string encoded;
        alphabet_.Encode(range.first, encoded);
        leads += encoded[0];
      }
    }
  }
  return std::make_unique<const GramFilter>(beginnings, length, source_.ignore_case,
                                            std::move(leads));
}

}  // namespace

std::unique_ptr<WordList> WordList::Make(const pattern::Source& source) {
  if (source.patterns.size() < kFewest) return nullptr;
  const pattern::Alphabet alphabet(source);
  if (!alphabet.exact()) return nullptr;
  const bool fixed = source.syntax == pattern::Syntax::kFixed;
  for (const std::string& text : source.patterns) {
    if (text.empty()) return nullptr;
    if (!fixed && text.find_first_of("\\[].*^$+?(){}|") != std::string::npos) return nullptr;
    for (std::size_t at = 0; at < text.size();) {
      const auto decoded = alphabet.Decode(text, at);
      if (!decoded.code) return nullptr;
      at += decoded.length_bytes;
    }
  }
  return std::make_unique<TrieList>(source);
}

}  // namespace mr::match
