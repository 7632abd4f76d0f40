#include "io/chunk_queue.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <numeric>
#include <utility>

#include "io/lines.h"
#include "io/patient_reader.h"
#include "io/read_aside.h"
#include "io/round_up.h"

namespace mr::io {
namespace {

// A hole is passed over when that saves more than the break in the sequence of reads costs.
constexpr std::uint64_t kHoleBytes = std::uint64_t{1} << 20;

std::uint64_t RoundDown(std::uint64_t value, std::uint64_t unit) { return value / unit * unit; }

}  // namespace

ChunkQueue::ChunkQueue(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                       const PipelineOptions& options, bool skip_holes, BufferPool& pool,
                       CacheSteering& steering)
    : file_(file),
      pool_(pool),
      steering_(steering),
      direct_(options.direct),
      size_(info.size_bytes),
      holes_(file, info, skip_holes),
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
ChunkQueue::~ChunkQueue() {
  reader_.reset();  // waits for what is under way
  for (; given_out_ < started_; ++given_out_) {
    steering_.Leave(file(), chunks_[given_out_ % chunks_.size()].passage);
  }
  if (advised_ && !file_.owned()) file_.Advise(POSIX_FADV_NORMAL, 0, 0);
}

std::optional<ChunkQueue::Taken> ChunkQueue::Take() {
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
  if (given_out_ == started_) return std::nullopt;
  Chunk& chunk = chunks_[given_out_ % chunks_.size()];
  Taken taken = Finish(chunk);
  taken.last = taken.damage || taken.bytes < chunk.wanted ||
               (taken.end_offset >= size_ && EndsAt(taken.end_offset));
  return taken;
}

void ChunkQueue::StartAhead() {
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
void ChunkQueue::PlanChunk(Chunk& chunk) {
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

// Waits for the chunk and completes it: fewer bytes than wanted there are only with damage or at
// the end of the file.
ChunkQueue::Taken ChunkQueue::Finish(Chunk& chunk) {
  const auto slot = static_cast<unsigned>(given_out_ % chunks_.size());
  ++given_out_;
  std::size_t have = 0;
  bool failed = false;
  std::optional<Damage> damage;
  try {
    if (chunk.wanted > 0) {
      const ChunkResult result = reader_->Wait(slot);
      have = std::min(result.bytes - std::min(result.bytes, chunk.lead), chunk.wanted);
      if (result.error_number == EOPNOTSUPP && chunk.passage.options.dont_cache) {
        chunk.passage = steering_.Refused(file(), chunk.begin, chunk.wanted);
      } else if (result.error_number != 0 && result.error_number != EIO &&
                 result.error_number != EINTR && result.error_number != EAGAIN) {
        throw os::IoError(file_.name(), result.error_number, chunk.begin);
      }
      ReadRest(chunk, have, result.error_number == EIO);
      if (!direct_) steering_.Leave(file(), chunk.passage);
    }
    if (have < chunk.wanted && !exceeds_size_) {
      const std::uint64_t size_now = file_.Info().size_bytes;
      if (size_now < chunk.end()) {
        damage.emplace(
            Damage{0, ShrankError(file_.name(), std::min(size_now, chunk.begin + have))});
      }
    }
  } catch (const os::IoError& error) {
    if (!direct_) steering_.Leave(file(), chunk.passage);
    failed = true;
    damage.emplace(Damage{0, error});
  }
  char* const begin = chunk.bytes();
  return {*std::exchange(chunk.buffer, std::nullopt),
          begin,
          have,
          chunk.begin + have,
          chunk.zeros_before,
          false,
          failed,
          std::move(damage)};
}

// What a short read, or one that failed, left out; `have` grows by what comes.
void ChunkQueue::ReadRest(Chunk& chunk, std::size_t& have, bool failed) {
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
bool ChunkQueue::EndsAt(std::uint64_t offset) {
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

bool ChunkQueue::HasNulAt(std::uint64_t offset, std::size_t bytes) const {
  return HasNul(file(), offset, bytes, unit_, pool_,
                policy() != CachePolicy::kNormal ? &steering_ : nullptr);
}

std::size_t ChunkQueue::ReadAgainAt(std::uint64_t offset, char* to, std::size_t bytes) const {
  return ReadAgain(file(), to, bytes, offset, unit_, pool_,
                   policy() != CachePolicy::kNormal ? &steering_ : nullptr);
}

}  // namespace mr::io
