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
  std::size_t Read(Buffer& buffer, std::size_t have, std::size_t upto);
  void Carry(const char* bytes, std::size_t size);

  os::File& file_;
  BufferPool& pool_;
  const std::size_t buffer_bytes_;
  const LineRules rules_;
  std::mutex mutex_;
  std::optional<Buffer> carry_;  // what was read and has not been given out
  std::size_t carry_bytes_ = 0;
  std::uint64_t offset_ = 0;  // of what has not been given out
  std::uint64_t index_ = 0;
  bool at_end_ = false;   // there is nothing more to be read
  bool in_line_ = false;  // a lease gives out a line in pieces
  bool ended_ = false;
};

class StreamSource::Lease final : public BlockLease {
 public:
  Lease(StreamSource& source, Buffer buffer) : source_(source), buffer_(std::move(buffer)) {}
  ~Lease() override {
    source_.pool_.Return(std::move(buffer_));
    if (piece_) source_.pool_.Return(std::move(*piece_));
  }

  bool NulFollows(std::uint64_t end_offset) override {
    if (end_offset <= given_to_) return false;
    return std::memchr(behind_.data(), '\0',
                       std::min<std::uint64_t>(end_offset - given_to_, behind_.size())) != nullptr;
  }

 private:
  friend class StreamSource;

  std::optional<std::string_view> NextPiece() override;
  std::string_view ReadPiece();

  StreamSource& source_;
  Buffer buffer_;
  std::optional<Buffer> piece_;
  std::uint64_t given_to_ = 0;  // offset behind what was given out
  std::string_view behind_;     // what was read behind that
};

// The bytes of a buffer that begins at offset_ whose lines may be given out.
std::size_t StreamSource::Judgeable(std::size_t have) const {
  if (!rules_.whole_windows || at_end_) return have;
  const auto beyond = static_cast<std::size_t>((offset_ + have) % kBinaryWindowBytes);
  return have - std::min(have, beyond);
}

// Adds to the `have` bytes of `buffer`, up to `upto`, what one read gives. Returns how many there
// are then: as many as before at the end of the input.
std::size_t StreamSource::Read(Buffer& buffer, std::size_t have, std::size_t upto) {
  if (at_end_) return have;
  buffer.Grow(upto);
  const std::size_t got = file_.Read(buffer.data() + have, upto - have);
  at_end_ = got == 0;
  return have + got;
}

void StreamSource::Carry(const char* bytes, std::size_t size) {
  carry_bytes_ = size;
  carry_.emplace(pool_.Take(std::max(buffer_bytes_, size)));
  std::memcpy(carry_->data(), bytes, size);
}

std::unique_ptr<BlockLease> StreamSource::Next() {
  std::lock_guard lock(mutex_);
  if (ended_ || in_line_) return nullptr;
  std::unique_ptr<Lease> lease;
  try {
    lease = std::make_unique<Lease>(*this, carry_ ? std::move(*carry_) : pool_.Take(buffer_bytes_));
  } catch (const std::bad_alloc&) {
    ended_ = true;
    return std::make_unique<DamagedLease>(index_++, os::IoError(file_.name(), ENOMEM));
  }
  carry_.reset();
  Buffer& buffer = lease->buffer_;
  std::size_t have = carry_bytes_;
  std::size_t whole = 0;
  std::size_t looked = 0;  // for ends of lines
  // The buffer ends with a binary window of the file, so that lines can be judged.
  std::size_t target =
      std::max(buffer_bytes_, have + (rules_.whole_windows ? kBinaryWindowBytes : 1));
  if (Judgeable(target) > have) target = Judgeable(target);
  try {
    while (true) {
      const std::size_t upto = Judgeable(have);
      const std::size_t fresh = WholeLines(buffer.data() + looked, upto - looked, rules_);
      if (fresh > 0) whole = looked + fresh;
      looked = upto;
      if (whole > 0 && (have >= target || !file_.HasInput())) break;
      if (have >= target) {
        in_line_ = rules_.pieces && have >= kHeldBuffers * buffer_bytes_;
        if (in_line_) break;
        target = std::max(2 * have, have + kBinaryWindowBytes);
      }
      const std::size_t had = have;
      have = Read(buffer, have, target);
      if (have == had) {
        ended_ = true;
        whole = have;
        break;
      }
    }
  } catch (const os::IoError& error) {
    ended_ = true;
    whole = WholeLines(buffer.data(), have, rules_);
    const bool in_the_middle = offset_ + have > 0;
    lease->damage_.emplace(Damage{
        whole,
        in_the_middle ? os::IoError(file_.name(), error.error_number(), offset_ + have) : error});
  } catch (const std::bad_alloc&) {
    ended_ = true;
    whole = WholeLines(buffer.data(), have, rules_);
    lease->damage_.emplace(Damage{whole, LineTooLongError(file_.name())});
  }
  lease->block_.bytes = std::string_view(buffer.data(), whole);
  lease->block_.offset = offset_;
  lease->block_.index = index_++;
  if (in_line_) {
    lease->block_.fragment = std::string_view(buffer.data(), have);
    whole = have;
  }
  offset_ += whole;
  carry_bytes_ = have - whole;
  lease->given_to_ = offset_;
  lease->behind_ = std::string_view(buffer.data() + whole, carry_bytes_);
  if (ended_) return lease;
  try {
    Carry(buffer.data() + whole, carry_bytes_);
  } catch (const std::bad_alloc&) {
    ended_ = true;
    lease->damage_.emplace(Damage{lease->block_.bytes.size(), LineTooLongError(file_.name())});
  }
  return lease;
}

std::optional<std::string_view> StreamSource::Lease::NextPiece() {
  std::lock_guard lock(source_.mutex_);
  if (!source_.in_line_) return std::nullopt;
  try {
    const std::string_view piece = ReadPiece();
    source_.offset_ += piece.size();
    given_to_ = source_.offset_;
    if (!piece.empty()) return piece;
  } catch (const os::IoError& error) {
    damage_.emplace(
        Damage{block_.bytes.size(),
               os::IoError(source_.file_.name(), error.error_number(), source_.offset_)});
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{block_.bytes.size(), os::IoError(source_.file_.name(), ENOMEM)});
  }
  source_.in_line_ = false;
  source_.ended_ = true;
  return std::nullopt;
}

// Empty at the end of the input.
std::string_view StreamSource::Lease::ReadPiece() {
  if (!piece_) piece_.emplace(source_.pool_.Take(source_.buffer_bytes_));
  std::size_t have = source_.Read(*piece_, 0, source_.buffer_bytes_);
  const std::optional<std::size_t> end = EndOfLine(piece_->data(), 0, have, source_.rules_);
  if (!end) return {piece_->data(), have};
  while (source_.Judgeable(have) < *end) {
    have = source_.Read(*piece_, have, have + kBinaryWindowBytes);
  }
  behind_ = std::string_view(piece_->data() + *end, have - *end);
  source_.Carry(behind_.data(), behind_.size());
  source_.in_line_ = false;
  return {piece_->data(), *end};
}

}  // namespace

std::unique_ptr<BlockSource> MakeStreamSource(os::File& file, std::size_t buffer_bytes,
                                              const LineRules& rules, BufferPool& pool) {
  return std::make_unique<StreamSource>(file, buffer_bytes, rules, pool);
}

}  // namespace mr::io
