#include "io/stream_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "io/damaged_lease.h"
#include "io/lines.h"

namespace mr::io {
namespace {

class StreamSource final : public BlockSource {
 public:
  StreamSource(os::File& file, std::size_t buffer_bytes, const LineRules& rules, BufferPool& pool)
      : file_(file), pool_(pool), buffer_bytes_(buffer_bytes), rules_(rules) {}

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return false; }
  std::string_view mode() const override { return "read"; }

 private:
  class Lease;

  std::size_t Judgeable(std::size_t have) const;

  os::File& file_;
  BufferPool& pool_;
  const std::size_t buffer_bytes_;
  const LineRules rules_;
  std::mutex mutex_;
  std::optional<Buffer> carry_;  // what was read and is not part of the last block
  std::size_t carry_bytes_ = 0;
  std::uint64_t offset_ = 0;  // of the first carried byte
  std::uint64_t index_ = 0;
  bool ended_ = false;
};

class StreamSource::Lease final : public BlockLease {
 public:
  Lease(BufferPool& pool, Buffer buffer) : pool_(pool), buffer_(std::move(buffer)) {}
  ~Lease() override { pool_.Return(std::move(buffer_)); }

  bool NulFollows(std::uint64_t end_offset) override {
    const std::uint64_t block_end = block_.offset + block_.bytes.size();
    if (end_offset <= block_end) return false;
    const std::size_t rest = have_ - block_.bytes.size();
    const auto wanted = static_cast<std::size_t>(end_offset - block_end);
    return std::memchr(buffer_.data() + block_.bytes.size(), '\0', std::min(wanted, rest)) !=
           nullptr;
  }
  std::optional<Damage> CheckDamage() override { return damage_; }

 private:
  friend class StreamSource;

  BufferPool& pool_;
  Buffer buffer_;
  std::size_t have_ = 0;
  std::optional<Damage> damage_;
};

// The bytes of a buffer that begins at offset_ whose lines may be given out.
std::size_t StreamSource::Judgeable(std::size_t have) const {
  if (!rules_.whole_windows) return have;
  const auto beyond = static_cast<std::size_t>((offset_ + have) % kBinaryWindowBytes);
  return have - std::min(have, beyond);
}

std::unique_ptr<BlockLease> StreamSource::Next() {
  std::lock_guard lock(mutex_);
  if (ended_) return nullptr;
  std::unique_ptr<Lease> lease;
  try {
    lease = std::make_unique<Lease>(pool_, carry_ ? std::move(*carry_) : pool_.Take(buffer_bytes_));
  } catch (const std::bad_alloc&) {
    ended_ = true;
    return std::make_unique<DamagedLease>(index_++, os::IoError(file_.name(), ENOMEM));
  }
  carry_.reset();
  std::size_t have = carry_bytes_;
  std::size_t whole = 0;
  std::size_t looked = Judgeable(have);  // for ends of lines: there is none before
  // The buffer ends with a binary window of the file, so that lines can be judged.
  std::size_t target =
      std::max(buffer_bytes_, have + (rules_.whole_windows ? kBinaryWindowBytes : 1));
  if (Judgeable(target) > have) target = Judgeable(target);
  try {
    while (true) {
      if (have >= target) {
        if (whole > 0) break;
        target = std::max(2 * have, have + kBinaryWindowBytes);
      }
      lease->buffer_.Grow(target);
      const std::size_t got = file_.Read(lease->buffer_.data() + have, target - have);
      have += got;
      if (got == 0) {
        ended_ = true;
        whole = have;
        break;
      }
      const std::size_t upto = Judgeable(have);
      const std::size_t fresh = WholeLines(lease->buffer_.data() + looked, upto - looked, rules_);
      if (fresh > 0) whole = looked + fresh;
      looked = upto;
      if (whole > 0 && !file_.HasInput()) break;
    }
  } catch (const os::IoError& error) {
    ended_ = true;
    whole = WholeLines(lease->buffer_.data(), have, rules_);
    const bool in_the_middle = offset_ + have > 0;
    lease->damage_.emplace(Damage{
        whole,
        in_the_middle ? os::IoError(file_.name(), error.error_number(), offset_ + have) : error});
  } catch (const std::bad_alloc&) {
    ended_ = true;
    whole = WholeLines(lease->buffer_.data(), have, rules_);
    lease->damage_.emplace(Damage{whole, LineTooLongError(file_.name())});
  }
  lease->have_ = have;
  lease->block_ = Block{std::string_view(lease->buffer_.data(), whole), offset_, index_++};
  offset_ += whole;
  carry_bytes_ = have - whole;
  if (ended_) return lease;
  try {
    carry_.emplace(pool_.Take(std::max(buffer_bytes_, carry_bytes_)));
    std::memcpy(carry_->data(), lease->buffer_.data() + whole, carry_bytes_);
  } catch (const std::bad_alloc&) {
    ended_ = true;
    lease->damage_.emplace(Damage{whole, LineTooLongError(file_.name())});
  }
  return lease;
}

}  // namespace

std::unique_ptr<BlockSource> MakeStreamSource(os::File& file, std::size_t buffer_bytes,
                                              const LineRules& rules, BufferPool& pool) {
  return std::make_unique<StreamSource>(file, buffer_bytes, rules, pool);
}

}  // namespace mr::io
