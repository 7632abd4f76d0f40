// One pass over the bytes, 64 places at a time. Each byte of the window has two tables with a bit
// for each bucket, one by the low and one by the high half of the byte; a place at which a bit is
// left when all are put together may begin a window of that bucket's, and its sequences are
// compared as a whole. The tables are known from the algorithm Teddy, by G. Langdale, in Hyperscan
// ("Hyperscan: A Fast Multi-pattern Regex Matcher for Modern CPUs", NSDI 2019). As only lines are
// looked for, the window need not be where a sequence begins, and its bytes may be of sets.
#include "match/sequence_finder.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "match/vector64.h"
#include "match/word_test.h"

namespace mr::match {
namespace {

using pattern::ByteSequence;
using pattern::ByteSet;

class SequenceFinder final : public CandidateFinder {
 public:
  explicit SequenceFinder(const SequencePlan& plan) : plan_(plan) {
    for (std::size_t bucket = 0; bucket < SequencePlan::kBuckets; ++bucket) {
      for (const std::size_t index : plan.buckets[bucket]) {
        for (std::size_t i = 0; i < plan.window; ++i) {
          Tables& tables = tables_[i];
          const ByteSet& set = plan.sequences.any_of[index].bytes[plan.windows[index] + i];
          for (std::size_t byte = 0; byte < set.size(); ++byte) {
            if (!set[byte]) continue;
            tables.low[byte & 15] |= static_cast<std::uint8_t>(1u << bucket);
            tables.high[byte >> 4] |= static_cast<std::uint8_t>(1u << bucket);
          }
        }
      }
    }
  }

  std::size_t Scan(std::string_view block, CandidateSink found) override {
    block_ = block;
    if (block.empty()) return 0;
    std::size_t at = 0;
    if (HoldsBeforeFirst()) {
      const std::size_t next = found(0);
      if (next == kStop) return block.size();
      at = next - 1;
    }
    return plan_.window == 2 ? ScanAs<2>(at, found) : ScanAs<3>(at, found);
  }

  bool stops_at_nul() const override { return plan_.stops_at_nul; }
  bool exact() const override { return plan_.sequences.exact; }
  bool exact_on_ascii() const override { return plan_.sequences.exact_on_ascii; }

 private:
  using HalfTable = std::array<std::uint8_t, 16>;
  struct Tables {
    alignas(16) HalfTable low{};
    alignas(16) HalfTable high{};
  };

  MR_AVX2 static __m256i InBothLanes(const HalfTable& table) {
    return _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(table.data())));
  }

  // The buckets of each byte.
  MR_AVX2 static Bytes64 LookUp(const Bytes64& bytes, __m256i low, __m256i high) {
    const Bytes64 half = Bytes64::All(0x0f);
    const Bytes64 lows = bytes & half;
    const Bytes64 highs =
        Bytes64{_mm256_srli_epi16(bytes.low, 4), _mm256_srli_epi16(bytes.high, 4)} & half;
    return {
        _mm256_and_si256(_mm256_shuffle_epi8(low, lows.low), _mm256_shuffle_epi8(high, highs.low)),
        _mm256_and_si256(_mm256_shuffle_epi8(low, lows.high),
                         _mm256_shuffle_epi8(high, highs.high))};
  }

  template <std::size_t kWindow>
  MR_AVX2 std::size_t ScanAs(std::size_t at, CandidateSink found) const;
  std::size_t ScanRest(std::size_t at, CandidateSink found) const;

  // The buckets of which a window may begin at block_[at], which lies within.
  unsigned BucketsAt(std::size_t at) const {
    unsigned buckets = 0xff;
    for (std::size_t i = 0; i < plan_.window; ++i) {
      const unsigned byte = at + i < block_.size() ? static_cast<unsigned char>(block_[at + i])
                                                   : static_cast<unsigned char>(plan_.terminator);
      buckets &= unsigned{tables_[i].low[byte & 15]} & tables_[i].high[byte >> 4];
    }
    return buckets;
  }

  // Whether a sequence holds whose window begins at block_[at], for windows of these buckets.
  bool Holds(std::size_t at, unsigned buckets) const {
    for (; buckets != 0; buckets &= buckets - 1) {
      for (const std::size_t index :
           plan_.buckets[static_cast<std::size_t>(std::countr_zero(buckets))]) {
        const auto start =
            static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(plan_.windows[index]);
        if (IsAt(plan_.sequences.any_of[index], start)) return true;
      }
    }
    return false;
  }

  // Whether one does whose window begins with the end of a line before the block.
  bool HoldsBeforeFirst() const {
    for (std::size_t i = 0; i < plan_.windows.size(); ++i) {
      const ByteSequence& sequence = plan_.sequences.any_of[i];
      if (sequence.from_line_begin && plan_.windows[i] == 0 && IsAt(sequence, -1)) return true;
    }
    return false;
  }

  bool IsAt(const ByteSequence& sequence, std::ptrdiff_t start) const {
    std::ptrdiff_t end = start + static_cast<std::ptrdiff_t>(sequence.bytes.size());
    if (start < 0 && (start != -1 || !sequence.from_line_begin)) return false;
    const auto size = static_cast<std::ptrdiff_t>(block_.size());
    if (end > size) {  // the last line need not be terminated
      if (end != size + 1 || !sequence.to_line_end || block_.back() == plan_.terminator) {
        return false;
      }
      end = size;
    }
    const char* const text = block_.data();
    for (std::ptrdiff_t at = std::max<std::ptrdiff_t>(start, 0); at < end; ++at) {
      const ByteSet& set = sequence.bytes[static_cast<std::size_t>(at - start)];
      if (!set[static_cast<unsigned char>(text[at])]) return false;
    }
    if (!plan_.as_word || !sequence.whole) return true;
    return (start <= 0 || sequence.from_line_begin || !IsAsciiWordByte(text[start - 1])) &&
           (end == size || sequence.to_line_end || !IsAsciiWordByte(text[end]));
  }

  // A byte of the line in which the window at block_[at] is: it may begin with the end of the line
  // before.
  std::size_t PlaceOf(std::size_t at) const { return block_[at] == plan_.terminator ? at + 1 : at; }

  const SequencePlan& plan_;
  std::array<Tables, SequencePlan::kMostWindow> tables_;
  std::string_view block_;
};

template <std::size_t kWindow>
MR_AVX2 std::size_t SequenceFinder::ScanAs(std::size_t at, CandidateSink found) const {
  __m256i low[kWindow];
  __m256i high[kWindow];
  for (std::size_t i = 0; i < kWindow; ++i) {
    low[i] = InBothLanes(tables_[i].low);
    high[i] = InBothLanes(tables_[i].high);
  }
  const Bytes64 zero = Bytes64::All('\0');
  const Bytes64 watch_nul = Bytes64::All(plan_.stops_at_nul ? '\xff' : '\0');

  while (at + kWindow - 1 + Bytes64::kSize <= block_.size()) {
    const char* const here = block_.data() + at;
    Bytes64::FetchAhead(here);
    const Bytes64 bytes = Bytes64::Load(here);
    Bytes64 buckets = LookUp(bytes, low[0], high[0]);
    for (std::size_t i = 1; i < kWindow; ++i) {
      buckets = buckets & LookUp(Bytes64::Load(here + i), low[i], high[i]);
    }
    const Bytes64 nuls = (bytes == zero) & watch_nul;
    if (!(buckets | nuls).any()) [[likely]] {
      at += Bytes64::kSize;
      continue;
    }
    const std::uint64_t nul_bits = nuls.bits();
    std::uint64_t events = ~(buckets == zero).bits();
    if (nul_bits != 0) events &= (nul_bits & -nul_bits) - 1;
    alignas(32) std::array<std::uint8_t, Bytes64::kSize> bucket;
    _mm256_store_si256(reinterpret_cast<__m256i*>(bucket.data()), buckets.low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(bucket.data() + 32), buckets.high);
    std::size_t next = at + Bytes64::kSize;
    while (events != 0) {
      const auto i = static_cast<std::size_t>(std::countr_zero(events));
      events &= events - 1;
      if (!Holds(at + i, bucket[i])) continue;
      const std::size_t from = found(PlaceOf(at + i));
      if (from == kStop) return block_.size();
      // The end of a line may begin the next sequence.
      if (from > next) {
        next = from - 1;
        break;
      }
      events &= ~std::uint64_t{0} << (from - 1 - at);
    }
    if (nul_bits != 0) return at + static_cast<std::size_t>(std::countr_zero(nul_bits));
    at = next;
  }
  return ScanRest(at, found);
}

// The last bytes, too few for a step.
std::size_t SequenceFinder::ScanRest(std::size_t at, CandidateSink found) const {
  while (at < block_.size()) {
    if (plan_.stops_at_nul && block_[at] == '\0') return at;
    if (!Holds(at, BucketsAt(at))) {
      ++at;
      continue;
    }
    const std::size_t next = found(PlaceOf(at));
    if (next == kStop) break;
    at = std::max(next - 1, at + 1);
  }
  return block_.size();
}

}  // namespace

std::unique_ptr<CandidateFinder> NewSequenceFinder(const SequencePlan& plan) {
  return std::make_unique<SequenceFinder>(plan);
}

}  // namespace mr::match

#else

namespace mr::match {

std::unique_ptr<CandidateFinder> NewSequenceFinder(const SequencePlan&) { return nullptr; }

}  // namespace mr::match

#endif
