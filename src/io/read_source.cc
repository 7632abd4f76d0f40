#include "io/read_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "io/damaged_lease.h"
#include "io/nul_ahead.h"
#include "io/patient_reader.h"
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
        buffer_(source.pool_.Take(source.stripe_bytes_ + 1 + kTailBytes)),
        stripe_(stripe),
        lead_(stripe.index == 0 ? 0 : 1),
        base_(stripe.begin - lead_),
        reader_(source.file_, kReadUnitBytes) {
    block_.index = stripe.index;
    block_.zeros_before = stripe.zeros_before;
    Fill();
  }
  ~Lease() override { source_.pool_.Return(std::move(buffer_)); }

  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override { return damage_; }

 private:
  void Fill();
  void Read(std::size_t until, std::size_t ask);
  std::size_t ReadOnce(std::size_t bytes);
  std::size_t CompleteLastLine();
  void Expose(std::size_t begin, std::size_t end);

  ReadSource& source_;
  Buffer buffer_;
  const StripeQueue::Stripe stripe_;
  const std::size_t lead_;    // bytes in front of the stripe, to see whether a line begins with it
  const std::uint64_t base_;  // file offset of the buffer's first byte
  PatientReader reader_;
  CacheSteering::Passage passage_;
  std::size_t have_ = 0;  // bytes in the buffer
  std::size_t end_ = 0;   // end of the block in the buffer
  bool at_end_ = false;   // the file ends where the buffer ends
  std::optional<Damage> damage_;
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

// Reads until the buffer holds `until` bytes or the file ends, by reads of up to `ask`; sets
// at_end_, and damage_ without its valid_bytes when something failed.
void ReadSource::Lease::Read(std::size_t until, std::size_t ask) {
  try {
    bool again = true;
    while (have_ < until && !at_end_) {
      const std::size_t got = ReadOnce(ask - have_);
      have_ += got;
      if (got == 0) {
        // Others may have seen the file grow meanwhile; where it still has nothing here, it shrank.
        at_end_ = source_.stripes_.EndsAt(base_ + have_);
        if (!at_end_ && !again) {
          at_end_ = true;
          source_.stripes_.End();
        }
        again = false;
      }
    }
    // A short read is the end only where stat(2) says so too: network and virtual file systems may
    // give less than was asked for anywhere.
    if (!at_end_ && have_ < ask && base_ + have_ == source_.size_at_open_) {
      at_end_ = source_.stripes_.EndsAt(base_ + have_);
    }
    const auto usable = static_cast<std::size_t>(source_.stripes_.Reach(base_ + have_) - base_);
    at_end_ = at_end_ || usable < have_;
    have_ = usable;
    if (!at_end_) return;
    const std::uint64_t end = base_ + have_;
    const std::uint64_t expected = std::max(source_.size_at_open_, stripe_.end);
    if (end >= expected || stripe_.exceeds_size) return;
    const std::uint64_t size_now = source_.file_.Info().size_bytes;
    if (size_now < expected) {
      damage_.emplace(Damage{0, ShrankError(source_.file_.name(), std::min(size_now, end))});
    }
  } catch (const os::IoError& error) {
    at_end_ = true;
    source_.stripes_.End();
    have_ = WholeLines(buffer_.data(), have_, source_.rules_);
    damage_.emplace(Damage{0, error});
  }
}

std::size_t ReadSource::Lease::ReadOnce(std::size_t bytes) {
  char* const to = buffer_.data() + have_;
  const std::uint64_t offset = base_ + have_;
  try {
    return reader_.ReadAt(to, bytes, offset, passage_.options);
  } catch (const os::IoError& error) {
    if (error.error_number() != EOPNOTSUPP || !passage_.options.dont_cache) throw;
    passage_ =
        source_.steering_->Refused(source_.file_, stripe_.begin, stripe_.end - stripe_.begin);
    return reader_.ReadAt(to, bytes, offset, passage_.options);
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
  Read(until, stripe_.last ? lead_ + source_.stripe_bytes_ + kTailBytes : until);
  if (steering != nullptr) steering->Leave(source_.file_, passage_);
  // Only the stripe itself tells: its last line may reach the end of the file through stripes that
  // nobody has taken yet.
  const std::size_t stripe_end = std::max(std::min(have_, until), lead_);
  const std::optional<char> previous =
      lead_ == 0 || have_ == 0 ? std::nullopt : std::optional(buffer_.data()[0]);
  std::optional<std::size_t> begin =
      FirstLineIn(buffer_.data() + lead_, stripe_end - lead_, previous, source_.rules_);
  if (!begin) {
    Expose(stripe_end, stripe_end);
  } else {
    end_ = stripe_end;
    Expose(lead_ + *begin, CompleteLastLine());
  }
  if (damage_) damage_->valid_bytes = block_.bytes.size();
}

// The end of the line that holds the stripe's last byte, before end_.
std::size_t ReadSource::Lease::CompleteLastLine() {
  const LineRules& rules = source_.rules_;
  try {
    if (EndsLine(buffer_.data()[end_ - 1], rules)) return end_;
    std::size_t searched = end_;
    while (true) {
      if (const auto end = EndOfLine(buffer_.data(), searched, have_, rules)) return *end;
      if (at_end_) return have_;
      searched = have_;
      const std::size_t more = std::max(kTailBytes, have_ - end_);
      buffer_.Grow(have_ + more);
      // One read at a time: what fails behind the end of the line is not this block's.
      Read(have_ + 1, have_ + more);
      if (have_ < searched) return have_;  // a failure cut the buffer back to whole lines
    }
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{0, LineTooLongError(source_.file_.name())});
    return WholeLines(buffer_.data(), end_, rules);
  }
}

void ReadSource::Lease::Expose(std::size_t begin, std::size_t end) {
  end_ = std::max(begin, end);
  block_.bytes = std::string_view(buffer_.data() + begin, end_ - begin);
  block_.offset = base_ + begin - source_.start_;
  block_.last = at_end_ && end_ == have_;
}

bool ReadSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t block_end = block_.offset + block_.bytes.size();
  if (end_offset <= block_end) return false;
  const std::size_t wanted = end_offset - block_end;
  const std::size_t buffered = std::min(wanted, have_ > end_ ? have_ - end_ : 0);
  if (std::memchr(buffer_.data() + end_, '\0', buffered) != nullptr) return true;
  if (buffered == wanted || at_end_) return false;
  return HasNul(source_.file_, source_.start_ + block_end + buffered, wanted - buffered,
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
