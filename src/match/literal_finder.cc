// One pass over the bytes, at the rate of the memory: the two rarest bytes of the literal are
// compared at their distance, 64 places at a time, and only where both are found is the literal
// compared as a whole. The same pass sees NUL bytes, which a search must know of (a file that
// holds one is binary) and for which it would otherwise have to go through memory once more, and
// the first bytes of characters that -i takes for an ASCII letter.
//
// Comparing two bytes at a fixed distance is known from W. Mula, "SIMD-friendly algorithms for
// substring searching" (2016), and choosing rare ones from the memchr library of A. Gallant.
#include "match/literal_finder.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "match/processor.h"
#include "match/vector64.h"
#include "match/word_test.h"
#include "pattern/byte_rarity.h"

namespace mr::match {
namespace {

constexpr std::size_t kStep = Bytes64::kSize;

class LiteralFinder final : public CandidateFinder {
 public:
  explicit LiteralFinder(const LiteralPlan& plan)
      : plan_(plan), bytes_(plan.literal.bytes), folds_(plan.literal.folds) {
    const auto rarity = [this](std::size_t i) {
      return pattern::RarityBits(static_cast<unsigned char>(bytes_[i]));
    };
    for (std::size_t i = 1; i < bytes_.size(); ++i) {
      if (rarity(i) > rarity(first_)) first_ = i;
    }
    second_ = first_ == 0 ? bytes_.size() - 1 : 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (i != first_ && rarity(i) > rarity(second_)) second_ = i;
    }
    folded_ = folds_.find_first_not_of('\0') != std::string::npos;
    const std::size_t head = std::min(bytes_.size(), sizeof head_);
    std::memcpy(&head_, bytes_.data(), head);
    std::memcpy(&head_folds_, folds_.data(), head);
    std::memset(&head_mask_, 0xff, head);
  }

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    if (!plan_.literal.leads.empty()) return ScanAs<true, true>(block, found);
    return folded_ ? ScanAs<true, false>(block, found) : ScanAs<false, false>(block, found);
  }

  bool stops_at_nul() const override { return plan_.stops_at_nul; }
  bool exact() const override { return plan_.exact; }
  bool exact_on_ascii() const override { return plan_.exact_on_ascii; }

 private:
  template <bool kFolded, bool kLeads>
  MR_AVX2 std::size_t ScanAs(std::string_view block, CandidateSink found) const;
  std::size_t ScanRest(std::string_view block, std::size_t from, CandidateSink found) const;

  // Whether the literal is at block[at].
  bool IsAt(std::string_view block, std::size_t at) const {
    if (at + bytes_.size() > block.size()) return false;
    const char* text = block.data() + at;
    // Where two bytes are right the others seldom are, and a call to find that out takes long.
    if (at + sizeof head_ <= block.size()) {
      std::uint64_t head = 0;
      std::memcpy(&head, text, sizeof head);
      if (((head | head_folds_) & head_mask_) != head_) return false;
    }
    if (!folded_) {
      if (std::memcmp(text, bytes_.data(), bytes_.size()) != 0) return false;
    } else {
      for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (static_cast<char>(text[i] | folds_[i]) != bytes_[i]) return false;
      }
    }
    if (!plan_.as_word) return true;
    const std::size_t end = at + bytes_.size();
    return (at == 0 || !IsAsciiWordByte(text[-1])) &&
           (end == block.size() || !IsAsciiWordByte(block[end]));
  }

  bool IsLead(char byte) const { return plan_.literal.leads.find(byte) != std::string::npos; }

  const LiteralPlan& plan_;
  const std::string& bytes_;
  const std::string& folds_;
  std::size_t first_ = 0;  // index of the rarest byte
  std::size_t second_ = 0;
  bool folded_ = false;
  std::uint64_t head_ = 0;  // the first eight bytes, or all there are
  std::uint64_t head_folds_ = 0;
  std::uint64_t head_mask_ = 0;
};

template <bool kFolded, bool kLeads>
MR_AVX2 std::size_t LiteralFinder::ScanAs(std::string_view block, CandidateSink found) const {
  const Bytes64 first = Bytes64::All(bytes_[first_]);
  const Bytes64 second = Bytes64::All(bytes_[second_]);
  const Bytes64 first_fold = Bytes64::All(folds_[first_]);
  const Bytes64 second_fold = Bytes64::All(folds_[second_]);
  const Bytes64 zero = Bytes64::All('\0');
  Bytes64 leads[2] = {zero, zero};
  if (kLeads) {
    leads[0] = Bytes64::All(plan_.literal.leads.front());
    leads[1] = Bytes64::All(plan_.literal.leads.back());
  }
  const Bytes64 watch_nul = Bytes64::All(plan_.stops_at_nul ? '\xff' : '\0');

  const std::size_t reach = std::max(first_, second_) + kStep;
  std::size_t at = 0;
  while (at + reach <= block.size()) {
    const char* const here = block.data() + at;
    Bytes64::FetchAhead(here);
    const Bytes64 bytes = Bytes64::Load(here);
    Bytes64 a = Bytes64::Load(here + first_);
    Bytes64 b = Bytes64::Load(here + second_);
    if (kFolded) {
      a = a | first_fold;
      b = b | second_fold;
    }
    const Bytes64 starts = (a == first) & (b == second);
    const Bytes64 nuls = (bytes == zero) & watch_nul;
    Bytes64 lead = zero;
    if (kLeads) lead = (bytes == leads[0]) | (bytes == leads[1]);
    if (!(starts | nuls | lead).any()) [[likely]] {
      at += kStep;
      continue;
    }
    const std::uint64_t nul_bits = nuls.bits();
    std::uint64_t events = starts.bits() | (kLeads ? lead.bits() : 0);
    if (nul_bits != 0) events &= (nul_bits & -nul_bits) - 1;
    std::size_t next = at + kStep;
    while (events != 0) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(events));
      events &= events - 1;
      if (!IsAt(block, place) && !(kLeads && IsLead(block[place]))) continue;
      const std::size_t from = found(place);
      if (from == kStop) return block.size();
      if (from >= next) {
        next = from;
        break;
      }
      if (from > place) events &= ~std::uint64_t{0} << (from - at);
    }
    if (nul_bits != 0) return at + static_cast<std::size_t>(std::countr_zero(nul_bits));
    at = next;
  }
  return ScanRest(block, at, found);
}

// The last bytes, too few for a step.
std::size_t LiteralFinder::ScanRest(std::string_view block, std::size_t from,
                                    CandidateSink found) const {
  for (std::size_t at = from; at < block.size();) {
    if (plan_.stops_at_nul && block[at] == '\0') return at;
    if (!IsAt(block, at) && !IsLead(block[at])) {
      ++at;
      continue;
    }
    const std::size_t next = found(at);
    if (next == kStop) break;
    at = std::max(next, at + 1);
  }
  return block.size();
}

}  // namespace

bool LiteralFindersRun() { return HasAvx2(); }

std::unique_ptr<CandidateFinder> NewLiteralFinder(const LiteralPlan& plan) {
  return std::make_unique<LiteralFinder>(plan);
}

}  // namespace mr::match

#else

namespace mr::match {

bool LiteralFindersRun() { return false; }

std::unique_ptr<CandidateFinder> NewLiteralFinder(const LiteralPlan&) { return nullptr; }

}  // namespace mr::match

#endif
