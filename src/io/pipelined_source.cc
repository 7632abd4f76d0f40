#include "io/pipelined_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "io/chunk_queue.h"
#include "io/damaged_lease.h"

namespace mr::io {
namespace {

class PipelinedSource final : public BlockSource {
 public:
  PipelinedSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                  const PipelineOptions& options, const LineRules& rules, BufferPool& pool,
                  CacheSteering& steering)
      : pool_(pool),
        name_(file.name()),
        mode_(options.mode),
        start_(start_offset),
        rules_(rules),
        chunks_(file, info, start_offset, options, rules.skip_holes, pool, steering),
        held_bytes_(kHeldBuffers * chunks_.chunk_bytes()) {}

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return mode_; }
  ReadDepth depth() const override { return chunks_.depth(); }
  CachePolicy policy() const override { return chunks_.policy(); }

 private:
  class Lease;

  std::unique_ptr<Lease> Assemble();
  std::unique_ptr<Lease> GiveOut(Buffer buffer, std::string_view block, std::uint64_t end_offset);
  void Lengthen(ChunkQueue::Taken chunk);
  void Carry(std::string_view bytes, std::uint64_t end_offset);

  BufferPool& pool_;
  const std::string name_;
  const std::string_view mode_;
  const std::uint64_t start_;
  const LineRules rules_;
  std::mutex mutex_;  // guards what follows
  ChunkQueue chunks_;
  const std::size_t held_bytes_;  // of a line, at most, where there may be pieces
  std::uint64_t index_ = 0;       // blocks given out
  std::optional<Buffer> carry_;   // what was read last and not given out
  std::size_t carry_bytes_ = 0;
  std::uint64_t carry_end_ = 0;     // file offset
  bool carries_lines_ = false;      // the rest of a chunk in which a line ended that came in pieces
  std::uint64_t zeros_before_ = 0;  // of the next block
  bool ended_ = false;              // there are no more chunks
};

class PipelinedSource::Lease final : public BlockLease {
 public:
  Lease(PipelinedSource& source, Buffer buffer) : source_(source), buffer_(std::move(buffer)) {}
  ~Lease() override {
    if (line_lock_.owns_lock()) source_.ended_ = true;
    source_.pool_.Return(std::move(buffer_));
    if (piece_) source_.pool_.Return(std::move(*piece_));
  }

  bool reads_again() const override { return true; }
  // Chunks end where binary windows end, unless the user wants other sizes.
  bool NulFollows(std::uint64_t end_offset) override;

 private:
  friend class PipelinedSource;

  std::optional<std::string_view> NextPiece() override;
  std::size_t ReadAgain(char* to, std::size_t bytes) override {
    return source_.chunks_.ReadAgainAt(source_.start_ + block_.offset + block_.bytes.size(), to,
                                       bytes);
  }
  std::string_view TakePiece();

  PipelinedSource& source_;
  Buffer buffer_;
  std::optional<Buffer> piece_;
  std::uint64_t given_to_ = 0;  // file offset behind what has been given out
  std::string_view behind_;     // read, but not given out
  bool ends_file_ = false;
  // While a line is given out in pieces nobody else may take what comes next.
  std::unique_lock<std::mutex> line_lock_;
};

// `block`, in `buffer`, ends at `end_offset` of the file.
std::unique_ptr<PipelinedSource::Lease> PipelinedSource::GiveOut(Buffer buffer,
                                                                 std::string_view block,
                                                                 std::uint64_t end_offset) {
  auto lease = std::make_unique<Lease>(*this, std::move(buffer));
  lease->block_.bytes = block;
  lease->block_.offset = end_offset - block.size() - start_;
  lease->block_.index = index_++;
  lease->block_.zeros_before = std::exchange(zeros_before_, 0);
  lease->given_to_ = end_offset;
  lease->ends_file_ = ended_;
  return lease;
}

void PipelinedSource::Carry(std::string_view bytes, std::uint64_t end_offset) {
  carry_.reset();
  carry_bytes_ = 0;
  if (bytes.empty()) return;
  carry_.emplace(pool_.Take(std::max(bytes.size(), ChunkQueue::kHeadroomBytes)));
  std::memcpy(carry_->data(), bytes.data(), bytes.size());
  carry_bytes_ = bytes.size();
  carry_end_ = end_offset;
}

// Puts a chunk without an end of a line behind what is carried.
void PipelinedSource::Lengthen(ChunkQueue::Taken chunk) {
  if (!carry_) carry_.emplace(pool_.Take(std::max(chunk.bytes, ChunkQueue::kHeadroomBytes)));
  if (carry_->capacity() < carry_bytes_ + chunk.bytes) {
    carry_->Grow(std::max(carry_bytes_ + chunk.bytes, 2 * carry_->capacity()));
  }
  std::memcpy(carry_->data() + carry_bytes_, chunk.begin, chunk.bytes);
  carry_bytes_ += chunk.bytes;
  carry_end_ = chunk.end_offset;
  pool_.Return(std::move(chunk.buffer));
}

std::unique_ptr<BlockLease> PipelinedSource::Next() {
  std::unique_lock lock(mutex_);
  try {
    std::unique_ptr<Lease> lease = Assemble();
    if (lease != nullptr && !lease->block_.fragment.empty()) lease->line_lock_ = std::move(lock);
    return lease;
  } catch (const std::bad_alloc&) {
    ended_ = true;
    return std::make_unique<DamagedLease>(index_++, LineTooLongError(name_));
  } catch (const os::IoError& error) {
    ended_ = true;
    return std::make_unique<DamagedLease>(index_++, error);
  }
}

// The next block. Null at the end of the file.
std::unique_ptr<PipelinedSource::Lease> PipelinedSource::Assemble() {
  if (std::exchange(carries_lines_, false)) {
    Buffer buffer = *std::exchange(carry_, std::nullopt);
    const std::string_view bytes(buffer.data(), carry_bytes_);
    const std::size_t whole =
        ended_ ? bytes.size() : WholeLines(bytes.data(), bytes.size(), rules_);
    const std::string_view behind = bytes.substr(whole);
    Carry(behind, carry_end_);
    auto lease = GiveOut(std::move(buffer), bytes.substr(0, whole), carry_end_ - behind.size());
    lease->behind_ = behind;
    return lease;
  }
  while (!ended_) {
    std::optional<ChunkQueue::Taken> chunk = chunks_.Take();
    if (!chunk) break;
    zeros_before_ += chunk->zeros_before;
    ended_ = chunk->last;
    if (chunk->failed) {
      const std::size_t whole = WholeLines(chunk->begin, chunk->bytes, rules_);
      chunk->end_offset -= chunk->bytes - whole;
      chunk->bytes = whole;
      if (whole == 0) carry_bytes_ = 0;  // the beginning of a line whose end cannot be read
    }
    char* const begin = chunk->begin;
    const std::size_t whole = ended_ ? chunk->bytes : WholeLines(begin, chunk->bytes, rules_);
    if (whole == 0 && !ended_) {
      Lengthen(*std::move(chunk));
      if (!rules_.pieces || carry_bytes_ <= held_bytes_) continue;
      Buffer held = *std::exchange(carry_, std::nullopt);
      const std::string_view fragment(held.data(), std::exchange(carry_bytes_, 0));
      auto lease = GiveOut(std::move(held), fragment.substr(0, 0), carry_end_ - fragment.size());
      lease->block_.fragment = fragment;
      lease->given_to_ = carry_end_;
      return lease;
    }
    std::string_view block(begin, whole);
    std::string_view behind(begin + whole, chunk->bytes - whole);
    Buffer buffer = std::move(chunk->buffer);
    if (carry_bytes_ > 0 && carry_bytes_ <= ChunkQueue::kHeadroomBytes) {
      std::memcpy(begin - carry_bytes_, carry_->data(), carry_bytes_);
      block = std::string_view(begin - carry_bytes_, carry_bytes_ + whole);
      pool_.Return(*std::exchange(carry_, std::nullopt));
    } else if (carry_bytes_ > 0) {
      carry_->Grow(carry_bytes_ + chunk->bytes);
      std::memcpy(carry_->data() + carry_bytes_, begin, chunk->bytes);
      block = std::string_view(carry_->data(), carry_bytes_ + whole);
      behind = std::string_view(block.data() + block.size(), behind.size());
      pool_.Return(std::exchange(buffer, *std::exchange(carry_, std::nullopt)));
    }
    Carry(behind, chunk->end_offset);
    auto lease = GiveOut(std::move(buffer), block, chunk->end_offset - behind.size());
    lease->behind_ = behind;
    if (chunk->damage) lease->damage_.emplace(Damage{block.size(), chunk->damage->error});
    return lease;
  }
  return nullptr;
}

std::optional<std::string_view> PipelinedSource::Lease::NextPiece() {
  if (!line_lock_.owns_lock()) return std::nullopt;
  std::string_view piece;
  try {
    piece = TakePiece();
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{0, os::IoError(source_.name_, ENOMEM)});
  } catch (const os::IoError& error) {
    damage_.emplace(Damage{0, error});
  }
  if (damage_) {
    damage_->valid_bytes = block_.bytes.size();
    source_.ended_ = true;
  }
  ends_file_ = source_.ended_;
  if (piece.empty()) {
    line_lock_.unlock();
    return std::nullopt;
  }
  if (EndsLine(piece.back(), source_.rules_)) line_lock_.unlock();
  return piece;
}

// Empty where the file ends, or cannot be read.
std::string_view PipelinedSource::Lease::TakePiece() {
  if (source_.ended_) return {};
  std::optional<ChunkQueue::Taken> chunk = source_.chunks_.Take();
  source_.ended_ = !chunk || chunk->last;
  if (!chunk) return {};
  source_.zeros_before_ += chunk->zeros_before;
  damage_ = std::move(chunk->damage);
  if (damage_) return {};
  if (piece_) source_.pool_.Return(std::move(*piece_));
  piece_.emplace(std::move(chunk->buffer));
  const std::string_view bytes(chunk->begin, chunk->bytes);
  const std::size_t end =
      EndOfLine(bytes.data(), 0, bytes.size(), source_.rules_).value_or(bytes.size());
  behind_ = bytes.substr(end);
  source_.Carry(behind_, chunk->end_offset);
  source_.carries_lines_ = !behind_.empty();
  given_to_ = chunk->end_offset - behind_.size();
  return bytes.substr(0, end);
}

bool PipelinedSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t end = source_.start_ + end_offset;
  if (end <= given_to_) return false;
  const auto wanted = static_cast<std::size_t>(end - given_to_);
  const std::size_t here = std::min(wanted, behind_.size());
  if (std::memchr(behind_.data(), '\0', here) != nullptr) return true;
  if (here == wanted || ends_file_) return false;
  return source_.chunks_.HasNulAt(given_to_ + here, wanted - here);
}

}  // namespace

std::unique_ptr<BlockSource> MakePipelinedSource(os::File& file, const os::FileInfo& info,
                                                 std::uint64_t start_offset,
                                                 const PipelineOptions& options,
                                                 const LineRules& rules, BufferPool& pool,
                                                 CacheSteering& steering) {
  return std::make_unique<PipelinedSource>(file, info, start_offset, options, rules, pool,
                                           steering);
}

}  // namespace mr::io
