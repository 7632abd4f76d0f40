#include "io/read_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "io/damaged_lease.h"
#include "io/patient_reader.h"
#include "io/read_aside.h"
#include "io/stripes.h"

namespace mr::io {
namespace {

// What is read behind the stripe to complete its last line: few lines are longer than the first
// piece; each further piece is as long as all before it.
constexpr std::size_t kTailBytes = 4096;

class ReadSource final : public BlockSource {
 public:
  ReadSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
             std::size_t stripe_bytes, const LineRules& rules, BufferPool& pool,
             CacheSteering* steering)
      : file_(file),
        pool_(pool),
        steering_(steering),
        size_at_open_(info.size_bytes),
        start_(start_offset),
        stripe_bytes_(stripe_bytes),
        rules_(rules),
        stripes_(file, info, start_offset, stripe_bytes, rules.skip_holes) {}

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "read"; }
  CachePolicy policy() const override {
    return steering_ != nullptr ? steering_->policy() : CachePolicy::kNormal;
  }

 private:
  class Lease;

  os::File& file_;
  BufferPool& pool_;
  CacheSteering* const steering_;
  const std::uint64_t size_at_open_;
  const std::uint64_t start_;
  const std::size_t stripe_bytes_;
  const LineRules rules_;
  StripeQueue stripes_;
};

class ReadSource::Lease final : public BlockLease {
 public:
  Lease(ReadSource& source, const StripeQueue::Stripe& stripe)
      : source_(source),
        stripe_(stripe),
        lead_(stripe.index == 0 ? 0 : 1),
        region_{source.pool_.Take(source.stripe_bytes_ + 1 + kTailBytes), stripe.begin - lead_, 0},
        reader_(source.file_, kReadUnitBytes) {
    block_.index = stripe.index;
    block_.zeros_before = stripe.zeros_before;
    Fill();
  }
  ~Lease() override {
    source_.pool_.Return(std::move(region_.buffer));
    if (piece_) source_.pool_.Return(std::move(piece_->buffer));
  }

  bool reads_again() const override { return true; }
  bool NulFollows(std::uint64_t end_offset) override;

 private:
  // Bytes of the file that are in memory.
  struct Region {
    Buffer buffer;
    std::uint64_t base = 0;  // file offset of the first
    std::size_t have = 0;

    const char* data() const { return buffer.data(); }
    std::uint64_t end() const { return base + have; }
  };

  std::optional<std::string_view> NextPiece() override;
  std::size_t ReadAgain(char* to, std::size_t bytes) override {
    return io::ReadAgain(source_.file_, to, bytes,
                         source_.start_ + block_.offset + block_.bytes.size(), kReadUnitBytes,
                         source_.pool_, source_.steering_);
  }
  void Fill();
  void Read(Region& region, std::size_t until, std::size_t ask);
  std::size_t ReadOnce(Region& region, std::size_t bytes);
  std::size_t CompleteLastLine(std::size_t end);
  void Expose(std::size_t begin, std::size_t end);
  void Given(const Region& region, std::size_t end);

  ReadSource& source_;
  const StripeQueue::Stripe stripe_;
  const std::size_t lead_;  // bytes in front of the stripe, to see whether a line begins with it
  Region region_;           // the stripe, and what is read to complete its last line
  std::optional<Region> piece_;  // of that line
  bool in_line_ = false;         // which goes on behind the piece, or behind the region
  PatientReader reader_;
  CacheSteering::Passage passage_;
  std::uint64_t given_to_ = 0;  // file offset behind what has been given out
  std::string_view behind_;     // what was read behind that
  bool at_end_ = false;         // the file ends where what was read last ends
};

std::unique_ptr<BlockLease> ReadSource::Next() {
  const std::optional<StripeQueue::Stripe> stripe = stripes_.Take();
  if (!stripe) return nullptr;
  try {
    return std::make_unique<Lease>(*this, *stripe);
  } catch (const std::bad_alloc&) {
    stripes_.End();
    return std::make_unique<DamagedLease>(stripe->index, os::IoError(file_.name(), ENOMEM));
  }
}

// Reads until the region has `until` bytes or the file ends, by reads of up to `ask`; sets at_end_,
// and damage_ without its valid_bytes when something failed.
void ReadSource::Lease::Read(Region& region, std::size_t until, std::size_t ask) {
  std::size_t& have = region.have;
  StripeQueue& stripes = source_.stripes_;
  try {
    bool again = true;
    while (have < until && !at_end_) {
      const std::size_t got = ReadOnce(region, ask - have);
      have += got;
      if (got == 0) {
        // Others may have seen the file grow meanwhile; where it still has nothing here, it shrank.
        at_end_ = stripes.EndsAt(region.end());
        if (!at_end_ && !again) {
          at_end_ = true;
          stripes.End();
        }
        again = false;
      }
    }
    // A short read is the end only where stat(2) says so too: network and virtual file systems may
    // give less than was asked for anywhere.
    if (!at_end_ && have < ask && region.end() == source_.size_at_open_) {
      at_end_ = stripes.EndsAt(region.end());
    }
    const auto usable = static_cast<std::size_t>(stripes.Reach(region.end()) - region.base);
    at_end_ = at_end_ || usable < have;
    have = usable;
    if (!at_end_) return;
    const std::uint64_t end = region.end();
    const std::uint64_t expected = std::max(source_.size_at_open_, stripe_.end);
    if (end >= expected || stripe_.exceeds_size) return;
    const std::uint64_t size_now = source_.file_.Info().size_bytes;
    if (size_now < expected) {
      damage_.emplace(Damage{0, ShrankError(source_.file_.name(), std::min(size_now, end))});
    }
  } catch (const os::IoError& error) {
    at_end_ = true;
    stripes.End();
    have = WholeLines(region.data(), have, source_.rules_);
    damage_.emplace(Damage{0, error});
  }
}

std::size_t ReadSource::Lease::ReadOnce(Region& region, std::size_t bytes) {
  char* const to = region.buffer.data() + region.have;
  try {
    return reader_.ReadAt(to, bytes, region.end(), passage_.options);
  } catch (const os::IoError& error) {
    if (error.error_number() != EOPNOTSUPP || !passage_.options.dont_cache) throw;
    passage_ =
        source_.steering_->Refused(source_.file_, stripe_.begin, stripe_.end - stripe_.begin);
    return reader_.ReadAt(to, bytes, region.end(), passage_.options);
  }
}

void ReadSource::Lease::Fill() {
  const std::size_t until = lead_ + static_cast<std::size_t>(stripe_.end - stripe_.begin);
  if (stripe_.end == stripe_.begin) {
    Expose(lead_, lead_);
    return;
  }
  CacheSteering* const steering = source_.steering_;
  if (steering != nullptr) {
    passage_ = steering->Enter(source_.file_, stripe_.begin, stripe_.end - stripe_.begin);
  }
  // The read of the last stripe shows at once that the file ends there, or goes on.
  Read(region_, until, stripe_.last ? lead_ + source_.stripe_bytes_ + kTailBytes : until);
  if (steering != nullptr) steering->Leave(source_.file_, passage_);
  // Only the stripe itself tells: its last line may reach the end of the file through stripes that
  // nobody has taken yet.
  const std::size_t stripe_end = std::max(std::min(region_.have, until), lead_);
  const std::optional<char> previous =
      lead_ == 0 || region_.have == 0 ? std::nullopt : std::optional(region_.data()[0]);
  const std::optional<std::size_t> begin =
      FirstLineIn(region_.data() + lead_, stripe_end - lead_, previous, source_.rules_);
  if (begin) {
    Expose(lead_ + *begin, CompleteLastLine(stripe_end));
  } else {
    Expose(stripe_end, stripe_end);
  }
  if (damage_) damage_->valid_bytes = block_.bytes.size();
}

// Where the block ends: behind the line that holds the byte before `stripe_end`, or where that line
// begins when it is too long.
std::size_t ReadSource::Lease::CompleteLastLine(std::size_t stripe_end) {
  const LineRules& rules = source_.rules_;
  try {
    if (EndsLine(region_.data()[stripe_end - 1], rules)) return stripe_end;
    std::size_t searched = stripe_end;
    while (true) {
      const std::size_t have = region_.have;
      if (const auto end = EndOfLine(region_.data(), searched, have, rules)) return *end;
      if (at_end_) return have;
      if (rules.pieces && have - stripe_end > kHeldBuffers * source_.stripe_bytes_) {
        in_line_ = true;
        return WholeLines(region_.data(), stripe_end, rules);
      }
      searched = have;
      const std::size_t more = std::max(kTailBytes, have - stripe_end);
      region_.buffer.Grow(have + more);
      // One read at a time: what fails behind the end of the line is not this block's.
      Read(region_, have + 1, have + more);
      if (region_.have < searched) return region_.have;  // cut back to whole lines by a failure
    }
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{0, LineTooLongError(source_.file_.name())});
    return WholeLines(region_.data(), stripe_end, rules);
  }
}

void ReadSource::Lease::Expose(std::size_t begin, std::size_t end) {
  end = std::max(begin, end);
  block_.bytes = std::string_view(region_.data() + begin, end - begin);
  block_.offset = region_.base + begin - source_.start_;
  if (in_line_) {
    block_.fragment = std::string_view(region_.data() + end, region_.have - end);
    end = region_.have;
  }
  Given(region_, end);
  block_.last = at_end_ && behind_.empty();
}

// All of the region before `end` has been given out.
void ReadSource::Lease::Given(const Region& region, std::size_t end) {
  given_to_ = region.base + end;
  behind_ = std::string_view(region.data() + end, region.have - std::min(region.have, end));
}

std::optional<std::string_view> ReadSource::Lease::NextPiece() {
  if (!in_line_) return std::nullopt;
  try {
    if (!piece_) piece_.emplace(Region{source_.pool_.Take(source_.stripe_bytes_), 0, 0});
    piece_->base = given_to_;
    piece_->have = 0;
    Read(*piece_, 1, source_.stripe_bytes_);
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{0, os::IoError(source_.file_.name(), ENOMEM)});
  }
  if (damage_) damage_->valid_bytes = block_.bytes.size();
  in_line_ = !damage_ && piece_->have > 0;
  if (!in_line_) return std::nullopt;
  const auto end = EndOfLine(piece_->data(), 0, piece_->have, source_.rules_);
  if (end) in_line_ = false;
  Given(*piece_, end.value_or(piece_->have));
  return std::string_view(piece_->data(), end.value_or(piece_->have));
}

bool ReadSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t end = source_.start_ + end_offset;
  if (end <= given_to_) return false;
  const std::size_t wanted = end - given_to_;
  const std::size_t buffered = std::min(wanted, behind_.size());
  if (std::memchr(behind_.data(), '\0', buffered) != nullptr) return true;
  if (buffered == wanted || at_end_) return false;
  return HasNul(source_.file_, given_to_ + buffered, wanted - buffered,
                source_.steering_ != nullptr ? kReadUnitBytes : 1, source_.pool_,
                source_.steering_);
}

}  // namespace

std::unique_ptr<BlockSource> MakeReadSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, std::size_t stripe_bytes,
                                            const LineRules& rules, BufferPool& pool,
                                            CacheSteering* steering) {
  return std::make_unique<ReadSource>(file, info, start_offset, stripe_bytes, rules, pool,
                                      steering);
}

}  // namespace mr::io
