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
#include "io/damaged_lease.h"
#include "io/nul_ahead.h"
#include "io/patient_reader.h"
#include "io/round_up.h"
#include "io/stripes.h"

namespace mr::io {
namespace {

// In front of each chunk: the beginning of a line that the chunk before it did not end.
constexpr std::size_t kHeadroomBytes = std::size_t{64} << 10;

// A hole is passed over when that saves more than the break in the sequence of reads costs.
constexpr std::uint64_t kHoleBytes = std::uint64_t{1} << 20;

std::uint64_t RoundDown(std::uint64_t value, std::uint64_t unit) { return value / unit * unit; }

class PipelinedSource final : public BlockSource {
 public:
  PipelinedSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                  const PipelineOptions& options, const LineRules& rules, BufferPool& pool,
                  CacheSteering& steering);
  ~PipelinedSource() override;

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return mode_; }
  ReadDepth depth() const override { return depth_; }
  CachePolicy policy() const override {
    return direct_ ? CachePolicy::kNormal : steering_.policy();
  }

 private:
  class Lease;

  // A read under way, or done and not yet given out. In the buffer: headroom, bytes that are read
  // for the sake of alignment, and those from `begin` on.
  struct Chunk {
    std::optional<Buffer> buffer;
    std::uint64_t begin = 0;  // file offset
    std::size_t wanted = 0;   // bytes from there; 0 behind a hole at the end of the file
    std::size_t lead = 0;
    std::uint64_t zeros_before = 0;  // a hole that was passed over
    CacheSteering::Passage passage;

    char* bytes() { return buffer->data() + kHeadroomBytes + lead; }
    std::uint64_t end() const { return begin + wanted; }
  };

  void StartAhead();
  void PlanChunk(Chunk& chunk);
  std::size_t Finish(Chunk& chunk, std::optional<Damage>& damage);
  void ReadRest(Chunk& chunk, std::size_t& have, bool failed);
  bool EndsAt(std::uint64_t offset);
  const os::File& file() const { return reopened_ ? *reopened_ : file_; }

  os::File& file_;
  // Direct, or a description of our own: advice to that of standard input would outlive us.
  std::optional<os::File> reopened_;
  BufferPool& pool_;
  CacheSteering& steering_;
  const std::string_view mode_;
  const bool direct_;
  const std::uint64_t start_;
  const LineRules rules_;
  std::size_t unit_ = 1;  // what reads begin and end at multiples of, in the file
  std::size_t chunk_bytes_ = 0;
  bool advised_ = false;  // random, on file_
  std::mutex mutex_;      // guards what follows
  std::uint64_t size_;    // as far as known
  Holes holes_;
  std::uint64_t next_;    // where the next chunk begins
  bool in_hole_ = false;  // the chunk before that is the beginning of a hole
  std::vector<Chunk> chunks_;
  std::uint64_t started_ = 0;    // chunks
  std::uint64_t given_out_ = 0;  // chunks
  std::uint64_t index_ = 0;      // blocks given out
  ReadDepth depth_;
  std::optional<Buffer> carry_;  // a line without its end
  std::size_t carry_bytes_ = 0;
  std::uint64_t zeros_before_ = 0;  // of the next block
  bool ended_ = false;
  bool exceeds_size_ = false;  // size_ is a guess
  std::optional<os::IoError> start_failure_;
  std::unique_ptr<ChunkReader> reader_;  // writes into the chunks
};

class PipelinedSource::Lease final : public BlockLease {
 public:
  Lease(PipelinedSource& source, Buffer buffer) : source_(source), buffer_(std::move(buffer)) {}
  ~Lease() override { source_.pool_.Return(std::move(buffer_)); }

  // Chunks end where binary windows end, unless the user wants other sizes.
  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override { return damage_; }

 private:
  friend class PipelinedSource;

  PipelinedSource& source_;
  Buffer buffer_;
  std::string_view behind_;  // read, but not part of the block
  bool ends_file_ = false;
  std::optional<Damage> damage_;
};

PipelinedSource::PipelinedSource(os::File& file, const os::FileInfo& info,
                                 std::uint64_t start_offset, const PipelineOptions& options,
                                 const LineRules& rules, BufferPool& pool, CacheSteering& steering)
    : file_(file),
      pool_(pool),
      steering_(steering),
      mode_(options.mode),
      direct_(options.direct),
      start_(start_offset),
      rules_(rules),
      size_(info.size_bytes),
      holes_(file, info, rules.skip_holes),
      next_(start_offset),
      chunks_(options.depth) {
  if (direct_) {
    reopened_.emplace(file.ReopenDirect());
    unit_ = reopened_->AlignmentForDirect().offset_bytes;
  } else if (steering.policy() != CachePolicy::kNormal) {
    if (!file.owned()) {
      try {
        reopened_.emplace(file.Reopen());
      } catch (const os::IoError&) {
        // What was opened by somebody with more rights. The advice is taken back in the end.
      }
    }
    // Read-ahead would leave pages behind that nobody accounts for.
    this->file().Advise(POSIX_FADV_RANDOM, 0, 0);
    advised_ = !reopened_;
    unit_ = kReadUnitBytes;  // what the cache holds
  }
  chunk_bytes_ = RoundUp(options.chunk_bytes, unit_);
  reader_ = options.ring ? MakeRingReader(this->file(), options.depth)
                         : MakeThreadReader(this->file(), options.depth);
}

// What was read ahead in vain, because the search stopped early, must leave the cache too.
PipelinedSource::~PipelinedSource() {
  reader_.reset();  // waits for what is under way
  for (; given_out_ < started_; ++given_out_) {
    steering_.Leave(file(), chunks_[given_out_ % chunks_.size()].passage);
  }
  if (advised_ && !file_.owned()) file_.Advise(POSIX_FADV_NORMAL, 0, 0);
}

void PipelinedSource::StartAhead() {
  while (started_ < given_out_ + chunks_.size() && next_ < size_) {
    Chunk& chunk = chunks_[started_ % chunks_.size()];
    PlanChunk(chunk);
    chunk.buffer.emplace(pool_.Take(kHeadroomBytes + 2 * unit_ + chunk_bytes_));
    if (chunk.wanted > 0) {
      const std::uint64_t from = chunk.begin - chunk.lead;
      std::size_t bytes = chunk.lead + chunk.wanted;
      if (direct_) {
        bytes = RoundUp(bytes, unit_);  // the file's end makes the last one short
        chunk.passage = {};
      } else {
        chunk.passage = steering_.Enter(file(), from, bytes);
      }
      reader_->Start(static_cast<unsigned>(started_ % chunks_.size()),
                     {chunk.bytes() - chunk.lead, bytes, from, chunk.passage.options});
      depth_.Add(reader_->UnderWay());
    }
    next_ = chunk.end();
    ++started_;
  }
}

// Which bytes come next. Of a large hole only the beginning is read, which ends the line before it.
void PipelinedSource::PlanChunk(Chunk& chunk) {
  chunk.zeros_before = 0;
  std::uint64_t begin = next_;
  const std::uint64_t data = holes_.NextData(begin, size_);
  if (in_hole_ && data > begin) {
    const std::uint64_t end = data >= size_ ? size_ : RoundDown(data, kReadUnitBytes);
    chunk.zeros_before = std::max(end, begin) - begin;
    begin += chunk.zeros_before;
  }
  in_hole_ = !in_hole_ && data >= begin + kHoleBytes + 2 * chunk_bytes_;
  chunk.begin = begin;
  chunk.lead = static_cast<std::size_t>(begin - RoundDown(begin, unit_));
  // Where the search began in the middle of a unit, the next chunk begins with one.
  const std::uint64_t most = (in_hole_ ? std::min(kReadUnitBytes, chunk_bytes_) : chunk_bytes_);
  chunk.wanted = static_cast<std::size_t>(std::min(most - chunk.lead % most, size_ - begin));
}

// Waits for the chunk and completes it. Returns the bytes that are there; fewer than wanted only
// with `damage` or at the end of the file.
std::size_t PipelinedSource::Finish(Chunk& chunk, std::optional<Damage>& damage) {
  const unsigned slot = static_cast<unsigned>(given_out_ % chunks_.size());
  ++given_out_;
  if (chunk.wanted == 0) return 0;
  const ChunkResult result = reader_->Wait(slot);
  std::size_t have = std::min(result.bytes - std::min(result.bytes, chunk.lead), chunk.wanted);
  try {
    if (result.error_number == EOPNOTSUPP && chunk.passage.options.dont_cache) {
      chunk.passage = steering_.Refused(file(), chunk.begin, chunk.wanted);
    } else if (result.error_number != 0 && result.error_number != EIO &&
               result.error_number != EINTR && result.error_number != EAGAIN) {
      throw os::IoError(file_.name(), result.error_number, chunk.begin);
    }
    ReadRest(chunk, have, result.error_number == EIO);
    if (!direct_) steering_.Leave(file(), chunk.passage);
    if (have < chunk.wanted && !exceeds_size_) {
      const std::uint64_t size_now = file_.Info().size_bytes;
      if (size_now < chunk.end()) {
        damage.emplace(
            Damage{0, ShrankError(file_.name(), std::min(size_now, chunk.begin + have))});
      }
    }
  } catch (const os::IoError& error) {
    if (!direct_) steering_.Leave(file(), chunk.passage);
    have = WholeLines(chunk.bytes(), have, rules_);
    if (have == 0) carry_bytes_ = 0;  // the beginning of a line whose end cannot be read
    damage.emplace(Damage{0, error});
  }
  return have;
}

// What a short read, or one that failed, left out; `have` grows by what comes.
void PipelinedSource::ReadRest(Chunk& chunk, std::size_t& have, bool failed) {
  char* const bytes = chunk.bytes() - chunk.lead;
  const std::uint64_t offset = chunk.begin - chunk.lead;
  const std::size_t upto =
      direct_ ? RoundUp(chunk.lead + chunk.wanted, unit_) : chunk.lead + chunk.wanted;
  PatientReader reader(file(), std::lcm(kReadUnitBytes, unit_));
  if (failed) reader.Halve(upto);
  while (have < chunk.wanted) {
    // A direct read continues at the last aligned place.
    const std::size_t at = chunk.lead + have;
    std::size_t from = direct_ ? RoundDown(at, unit_) : at;
    std::size_t got =
        reader.ReadAt(bytes + from, upto - from, offset + from, chunk.passage.options);
    if (got > 0 && from + got <= at && file_.Info().size_bytes > chunk.begin + have) {
      // A server gives less than a unit. Then it may not care for units.
      from = at;
      got = file().ReadAt(bytes + from, upto - from, offset + from);
    }
    if (from + got <= at) return;
    have = std::min(from + got - chunk.lead, chunk.wanted);
  }
}

// Whether the file ends at `offset`, where it seemed to end. When that can no longer be asked for,
// it does.
bool PipelinedSource::EndsAt(std::uint64_t offset) {
  try {
    size_ = std::max(size_, file_.Info().size_bytes);
    char byte = 0;
    if (offset < size_) return false;
    if (file_.ReadAt(&byte, 1, offset) == 0) return true;
    // Longer than its size says: how much, only reading can tell.
    size_ = offset + chunk_bytes_;
    exceeds_size_ = true;
    return false;
  } catch (const os::IoError&) {
    return true;
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
      const std::size_t bytes = Finish(chunk, damage);
      Buffer buffer = std::move(*chunk.buffer);
      chunk.buffer.reset();
      char* const begin = buffer.data() + kHeadroomBytes + chunk.lead;
      const std::uint64_t end_offset = chunk.begin + bytes;
      zeros_before_ += chunk.zeros_before;
      ended_ = damage || bytes < chunk.wanted || (end_offset >= size_ && EndsAt(end_offset));

      const std::size_t whole = ended_ ? bytes : WholeLines(begin, bytes, rules_);
      const std::size_t rest = bytes - whole;
      if (whole == 0 && !ended_) {
        // Still inside one line: it grows where it is.
        if (!carry_) carry_.emplace(pool_.Take(std::max(bytes, kHeadroomBytes)));
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
      if (carry_bytes_ > 0 && carry_bytes_ <= kHeadroomBytes) {
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
      lease->block_ = Block{block, end_offset - rest - block.size() - start_, index_++,
                            std::exchange(zeros_before_, 0)};
      lease->behind_ = behind;
      lease->ends_file_ = ended_;
      if (damage) damage->valid_bytes = block.size();
      lease->damage_ = std::move(damage);
      return lease;
    } catch (const std::bad_alloc&) {
      damage.emplace(Damage{0, LineTooLongError(file_.name())});
    } catch (const os::IoError& error) {
      damage.emplace(Damage{0, error});
    }
    ended_ = true;
    return std::make_unique<DamagedLease>(index_++, damage->error);
  }
  return nullptr;
}

bool PipelinedSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t block_end = block_.offset + block_.bytes.size();
  if (end_offset <= block_end) return false;
  const auto wanted = static_cast<std::size_t>(end_offset - block_end);
  const std::size_t here = std::min(wanted, behind_.size());
  if (std::memchr(behind_.data(), '\0', here) != nullptr) return true;
  if (here == wanted || ends_file_) return false;
  const bool steers = !source_.direct_ && source_.steering_.policy() != CachePolicy::kNormal;
  return HasNul(source_.file(), source_.start_ + block_end + here, wanted - here, source_.unit_,
                source_.pool_, steers ? &source_.steering_ : nullptr);
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
