#include "io/read_source.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "io/stripes.h"

namespace mr::io {
namespace {

// What is read behind the stripe to complete its last line: few lines are longer than the first
// piece; each further piece is as long as all before it.
constexpr std::size_t kTailBytes = 4096;

class ReadSource final : public BlockSource {
 public:
  ReadSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
             std::size_t stripe_bytes, char terminator, BufferPool& pool)
      : file_(file),
        pool_(pool),
        size_at_open_(info.size_bytes),
        start_(start_offset),
        stripe_bytes_(stripe_bytes),
        terminator_(terminator) {}

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "read"; }

 private:
  class Lease;

  os::File& file_;
  BufferPool& pool_;
  const std::uint64_t size_at_open_;
  const std::uint64_t start_;
  const std::size_t stripe_bytes_;
  const char terminator_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> ended_{false};
};

class ReadSource::Lease final : public BlockLease {
 public:
  Lease(ReadSource& source, std::uint64_t index)
      : source_(source), buffer_(source.pool_.Take(source.stripe_bytes_ + 1 + kTailBytes)) {
    block_.index = index;
    const std::uint64_t stripe = source.start_ + index * source.stripe_bytes_;
    lead_ = index == 0 ? 0 : 1;
    base_ = stripe - lead_;
    Fill();
  }
  ~Lease() override { source_.pool_.Return(std::move(buffer_)); }

  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override { return damage_; }

 private:
  void Fill();
  std::size_t Read(std::size_t until);
  std::size_t CompleteLastLine();
  void Expose(std::size_t begin, std::size_t end);

  ReadSource& source_;
  Buffer buffer_;
  std::size_t lead_ = 0;    // bytes in front of the stripe, to see whether a line begins with it
  std::uint64_t base_ = 0;  // file offset of the buffer's first byte
  std::size_t have_ = 0;    // bytes in the buffer
  std::size_t end_ = 0;     // end of the block in the buffer
  bool at_end_ = false;     // the file ends where the buffer ends
  std::optional<Damage> damage_;
};

std::unique_ptr<BlockLease> ReadSource::Next() {
  if (ended_.load(std::memory_order_relaxed)) return nullptr;
  return std::make_unique<Lease>(*this, next_.fetch_add(1));
}

// Reads until the buffer holds `until` bytes or the file ends; sets at_end_, and damage_ without
// its valid_bytes when something failed. Returns the bytes in the buffer.
std::size_t ReadSource::Lease::Read(std::size_t until) {
  try {
    while (have_ < until && !at_end_) {
      const std::size_t got =
          source_.file_.ReadAt(buffer_.data() + have_, until - have_, base_ + have_);
      have_ += got;
      // A short read is the end only at or behind the size that the file had: network and virtual
      // file systems may give less than was asked for anywhere.
      at_end_ = got == 0 || (have_ < until && base_ + have_ >= source_.size_at_open_);
    }
    const std::uint64_t end = base_ + have_;
    if (at_end_ && (have_ > 0 || block_.index == 0) && end < source_.size_at_open_ &&
        source_.file_.Info().size_bytes < source_.size_at_open_) {
      damage_.emplace(Damage{0, ShrankError(source_.file_.name(), end)});
    }
  } catch (const os::IoError& error) {
    at_end_ = true;
    have_ = WholeLines(buffer_.data(), have_, source_.terminator_);
    damage_.emplace(Damage{0, error});
  }
  return have_;
}

void ReadSource::Lease::Fill() {
  Read(lead_ + source_.stripe_bytes_);
  // Only the stripe itself tells: its last line may reach the end of the file through stripes that
  // nobody has taken yet.
  if (at_end_) source_.ended_.store(true, std::memory_order_relaxed);
  const std::size_t stripe_end = std::max(have_, lead_);
  const std::optional<char> previous =
      lead_ == 0 || have_ == 0 ? std::nullopt : std::optional(buffer_.data()[0]);
  std::optional<std::size_t> begin =
      FirstLineIn(buffer_.data() + lead_, stripe_end - lead_, previous, source_.terminator_);
  if (!begin) {
    Expose(stripe_end, stripe_end);
  } else {
    Expose(lead_ + *begin, CompleteLastLine());
  }
  if (damage_) damage_->valid_bytes = block_.bytes.size();
}

std::size_t ReadSource::Lease::CompleteLastLine() {
  try {
    if (buffer_.data()[have_ - 1] == source_.terminator_) return have_;
    for (std::size_t more = kTailBytes; !at_end_; more = have_) {
      const std::size_t searched = have_;
      buffer_.Grow(have_ + more);
      Read(have_ + more);
      if (have_ < searched) break;  // a failure cut the buffer back to whole lines
      const void* found =
          std::memchr(buffer_.data() + searched, source_.terminator_, have_ - searched);
      if (found != nullptr) {
        return static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      }
    }
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{0, LineTooLongError(source_.file_.name())});
    return WholeLines(buffer_.data(), have_, source_.terminator_);
  }
  return have_;
}

void ReadSource::Lease::Expose(std::size_t begin, std::size_t end) {
  end_ = std::max(begin, end);
  block_.bytes = std::string_view(buffer_.data() + begin, end_ - begin);
  block_.offset = base_ + begin - source_.start_;
}

bool ReadSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t block_end = block_.offset + block_.bytes.size();
  if (end_offset <= block_end) return false;
  const std::size_t wanted = end_offset - block_end;
  const std::size_t buffered = std::min(wanted, have_ > end_ ? have_ - end_ : 0);
  if (std::memchr(buffer_.data() + end_, '\0', buffered) != nullptr) return true;
  if (buffered == wanted || at_end_) return false;
  Buffer ahead = source_.pool_.Take(wanted - buffered);
  bool found = false;
  try {
    std::size_t have = 0;
    std::size_t got = 1;
    const std::uint64_t from = source_.start_ + block_end + buffered;
    while (have < wanted - buffered && got > 0) {
      got = source_.file_.ReadAt(ahead.data() + have, wanted - buffered - have, from + have);
      have += got;
    }
    found = std::memchr(ahead.data(), '\0', have) != nullptr;
  } catch (const os::IoError&) {
    // The block that owns those bytes reports it.
  }
  source_.pool_.Return(std::move(ahead));
  return found;
}

}  // namespace

std::unique_ptr<BlockSource> MakeReadSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, std::size_t stripe_bytes,
                                            char terminator, BufferPool& pool) {
  return std::make_unique<ReadSource>(file, info, start_offset, stripe_bytes, terminator, pool);
}

}  // namespace mr::io
