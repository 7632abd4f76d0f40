#include "io/pipelined_source.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "io/chunk_reader.h"
#include "io/stripes.h"

namespace mr::io {
namespace {

// In front of each chunk: the beginning of a line that the chunk before it did not end.
constexpr std::size_t kHeadroomBytes = std::size_t{64} << 10;

constexpr std::size_t kPageBytes = 4096;

class PipelinedSource final : public BlockSource {
 public:
  PipelinedSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                  const PipelineOptions& options, char terminator, BufferPool& pool,
                  CacheSteering& steering);
  ~PipelinedSource() override;

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return mode_; }

 private:
  class Lease;

  // A read under way, or done and not yet given out.
  struct Chunk {
    std::optional<Buffer> buffer;  // headroom, then the bytes
    std::uint64_t offset = 0;      // file offset of the bytes
    std::size_t wanted = 0;
    CacheSteering::Passage passage;
  };

  void StartAhead();
  std::size_t Finish(Chunk& chunk, std::optional<Damage>& damage);
  void ReadRest(const Chunk& chunk, std::size_t& have);
  const os::File& file() const { return direct_ ? *direct_ : file_; }

  os::File& file_;
  std::optional<os::File> direct_;
  BufferPool& pool_;
  CacheSteering& steering_;
  const std::string_view mode_;
  const std::uint64_t size_;
  const std::uint64_t start_;
  const char terminator_;
  std::size_t chunk_bytes_;
  std::uint64_t base_;  // where the first chunk begins, at or before start_
  std::mutex mutex_;    // guards what follows
  std::vector<Chunk> chunks_;
  std::uint64_t started_ = 0;    // chunks
  std::uint64_t given_out_ = 0;  // chunks
  std::uint64_t index_ = 0;      // blocks given out
  std::optional<Buffer> carry_;  // a line without its end, longer than the headroom
  std::size_t carry_bytes_ = 0;
  bool ended_ = false;
  std::optional<os::IoError> start_failure_;
  std::unique_ptr<ChunkReader> reader_;  // writes into the chunks
};

class PipelinedSource::Lease final : public BlockLease {
 public:
  Lease(PipelinedSource& source, Buffer buffer) : source_(source), buffer_(std::move(buffer)) {}
  ~Lease() override { source_.pool_.Return(std::move(buffer_)); }

  // Chunks end where binary windows end, unless the search began in the middle of the file.
  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override { return damage_; }

 private:
  friend class PipelinedSource;

  PipelinedSource& source_;
  Buffer buffer_;
  std::string_view behind_;  // read, but not part of the block
  std::optional<Damage> damage_;
};

PipelinedSource::PipelinedSource(os::File& file, const os::FileInfo& info,
                                 std::uint64_t start_offset, const PipelineOptions& options,
                                 char terminator, BufferPool& pool, CacheSteering& steering)
    : file_(file),
      pool_(pool),
      steering_(steering),
      mode_(options.mode),
      size_(info.size_bytes),
      start_(start_offset),
      terminator_(terminator),
      chunks_(options.depth) {
  std::size_t unit = std::lcm(kBinaryWindowBytes, kPageBytes);
  if (options.direct) {
    direct_.emplace(file.ReopenDirect());
    unit = std::lcm(unit, direct_->AlignmentForDirect().offset_bytes);
  }
  chunk_bytes_ = (options.chunk_bytes + unit - 1) / unit * unit;
  base_ = start_ / unit * unit;
  if (steering.policy() != CachePolicy::kNormal && !options.direct) {
    // Read-ahead would leave pages behind that nobody accounts for.
    file_.Advise(POSIX_FADV_RANDOM, 0, 0);
  }
  reader_ = options.ring ? MakeRingReader(this->file(), options.depth)
                         : MakeThreadReader(this->file(), options.depth);
}

// What was read ahead in vain, because the search stopped early, must leave the cache too.
PipelinedSource::~PipelinedSource() {
  reader_.reset();  // waits for what is under way
  for (; given_out_ < started_; ++given_out_) {
    steering_.Leave(file_, chunks_[given_out_ % chunks_.size()].passage);
  }
}

void PipelinedSource::StartAhead() {
  while (started_ < given_out_ + chunks_.size()) {
    const std::uint64_t offset = base_ + started_ * chunk_bytes_;
    if (offset >= size_) return;
    Chunk& chunk = chunks_[started_ % chunks_.size()];
    chunk.buffer.emplace(pool_.Take(kHeadroomBytes + chunk_bytes_));
    chunk.offset = offset;
    chunk.wanted = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes_, size_ - offset));
    chunk.passage =
        direct_ ? CacheSteering::Passage{} : steering_.Enter(file_, chunk.offset, chunk.wanted);
    // O_DIRECT wants whole units; the file's end makes the last one short.
    const std::size_t bytes = direct_ ? chunk_bytes_ : chunk.wanted;
    reader_->Start(static_cast<unsigned>(started_ % chunks_.size()),
                   {chunk.buffer->data() + kHeadroomBytes, bytes, offset, chunk.passage.options});
    ++started_;
  }
}

// Waits for the chunk and completes it. Returns the bytes that are there; fewer than wanted only
// with `damage`.
std::size_t PipelinedSource::Finish(Chunk& chunk, std::optional<Damage>& damage) {
  const ChunkResult result = reader_->Wait(static_cast<unsigned>(given_out_ % chunks_.size()));
  ++given_out_;
  std::size_t have = std::min(result.bytes, chunk.wanted);
  try {
    if (result.error_number == EOPNOTSUPP && chunk.passage.options.dont_cache) {
      chunk.passage = steering_.Refused(file_, chunk.offset, chunk.wanted);
    } else if (result.error_number != 0 && result.error_number != EINTR &&
               result.error_number != EAGAIN) {
      throw os::IoError(file_.name(), result.error_number, chunk.offset);
    }
    ReadRest(chunk, have);
    if (!direct_) steering_.Leave(file_, chunk.passage);
    if (have < chunk.wanted && file_.Info().size_bytes < size_) {
      damage.emplace(Damage{0, ShrankError(file_.name(), chunk.offset + have)});
    }
  } catch (const os::IoError& error) {
    have = WholeLines(chunk.buffer->data() + kHeadroomBytes, have, terminator_);
    if (have == 0) carry_bytes_ = 0;  // the beginning of a line whose end cannot be read
    damage.emplace(Damage{0, error});
  }
  return have;
}

// What a short read left out; `have` grows by what comes.
void PipelinedSource::ReadRest(const Chunk& chunk, std::size_t& have) {
  char* const bytes = const_cast<char*>(chunk.buffer->data()) + kHeadroomBytes;
  while (have < chunk.wanted) {
    // A direct read continues at the last aligned place.
    const std::size_t from = direct_ ? have / direct_->AlignmentForDirect().offset_bytes *
                                           direct_->AlignmentForDirect().offset_bytes
                                     : have;
    const std::size_t upto = direct_ ? chunk_bytes_ : chunk.wanted;
    const std::size_t got =
        file().ReadAt(bytes + from, upto - from, chunk.offset + from, chunk.passage.options);
    if (from + got <= have) break;
    have = std::min(from + got, chunk.wanted);
  }
}

std::unique_ptr<BlockLease> PipelinedSource::Next() {
  std::lock_guard lock(mutex_);
  std::optional<Damage> damage;
  while (!ended_) {
    try {
      // A read that cannot be started is reported when its turn comes, behind those under way.
      if (!start_failure_) {
        try {
          StartAhead();
        } catch (const os::IoError& error) {
          start_failure_.emplace(error);
        } catch (const std::bad_alloc&) {
          start_failure_.emplace(file_.name(), ENOMEM);
        }
      }
      if (given_out_ == started_ && start_failure_) throw os::IoError(*start_failure_);
      if (given_out_ == started_) break;
      Chunk& chunk = chunks_[given_out_ % chunks_.size()];
      const std::size_t have = Finish(chunk, damage);
      const std::size_t skip =
          static_cast<std::size_t>(std::max(start_, chunk.offset) - chunk.offset);
      Buffer buffer = std::move(*chunk.buffer);
      chunk.buffer.reset();
      char* begin = buffer.data() + kHeadroomBytes + std::min(skip, have);
      std::size_t bytes = have - std::min(skip, have);
      ended_ = damage || chunk.offset + chunk.wanted >= size_;
      const std::uint64_t end_offset = chunk.offset + have;

      const std::size_t whole = ended_ ? bytes : WholeLines(begin, bytes, terminator_);
      const std::size_t rest = bytes - whole;
      if (whole == 0 && !ended_) {
        // Still inside one line: it grows where it is.
        if (!carry_) carry_.emplace(pool_.Take(carry_bytes_ + bytes));
        if (carry_->capacity() < carry_bytes_ + bytes) {
          carry_->Grow(std::max(carry_bytes_ + bytes, 2 * carry_->capacity()));
        }
        std::memcpy(carry_->data() + carry_bytes_, begin, bytes);
        carry_bytes_ += bytes;
        pool_.Return(std::move(buffer));
        continue;
      }
      std::string_view behind(begin + whole, rest);
      std::optional<Buffer> next_carry;
      if (rest > 0) {
        next_carry.emplace(pool_.Take(std::max(rest, kHeadroomBytes)));
        std::memcpy(next_carry->data(), behind.data(), rest);
      }
      std::string_view block(begin, whole);
      if (carry_bytes_ > 0 && carry_bytes_ <= kHeadroomBytes && skip == 0) {
        std::memcpy(begin - carry_bytes_, carry_->data(), carry_bytes_);
        block = std::string_view(begin - carry_bytes_, carry_bytes_ + whole);
        pool_.Return(std::move(*carry_));
      } else if (carry_bytes_ > 0) {
        carry_->Grow(carry_bytes_ + bytes);
        std::memcpy(carry_->data() + carry_bytes_, begin, bytes);
        block = std::string_view(carry_->data(), carry_bytes_ + whole);
        behind = std::string_view(carry_->data() + block.size(), rest);
        pool_.Return(std::move(buffer));
        buffer = std::move(*carry_);
      }
      carry_ = std::move(next_carry);
      carry_bytes_ = rest;

      auto lease = std::make_unique<Lease>(*this, std::move(buffer));
      lease->block_ = Block{block, end_offset - rest - block.size() - start_, index_++};
      lease->behind_ = behind;
      if (damage) damage->valid_bytes = block.size();
      lease->damage_ = std::move(damage);
      return lease;
    } catch (const std::bad_alloc&) {
      damage.emplace(Damage{0, LineTooLongError(file_.name())});
    } catch (const os::IoError& error) {
      damage.emplace(Damage{0, error});
    }
    ended_ = true;
    auto lease = std::make_unique<Lease>(*this, pool_.Take(kHeadroomBytes));
    lease->block_.index = index_++;
    lease->damage_ = std::move(damage);
    return lease;
  }
  return nullptr;
}

bool PipelinedSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t block_end = block_.offset + block_.bytes.size();
  if (end_offset <= block_end) return false;
  const auto wanted = static_cast<std::size_t>(
      std::min(source_.start_ + end_offset, source_.size_) - (source_.start_ + block_end));
  const std::size_t here = std::min(wanted, behind_.size());
  if (std::memchr(behind_.data(), '\0', here) != nullptr) return true;
  if (here == wanted) return false;
  Buffer ahead = source_.pool_.Take(wanted - here);
  bool found = false;
  try {
    const std::size_t got =
        source_.file_.ReadAt(ahead.data(), wanted - here, source_.start_ + block_end + here);
    found = std::memchr(ahead.data(), '\0', got) != nullptr;
  } catch (const os::IoError&) {
    // The block that owns those bytes reports it.
  }
  source_.pool_.Return(std::move(ahead));
  return found;
}

}  // namespace

std::unique_ptr<BlockSource> MakePipelinedSource(os::File& file, const os::FileInfo& info,
                                                 std::uint64_t start_offset,
                                                 const PipelineOptions& options, char terminator,
                                                 BufferPool& pool, CacheSteering& steering) {
  return std::make_unique<PipelinedSource>(file, info, start_offset, options, terminator, pool,
                                           steering);
}

}  // namespace mr::io
