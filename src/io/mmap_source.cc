#include "io/mmap_source.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "io/stripes.h"
#include "os/mapping.h"
#include "os/page_cache.h"

namespace mr::io {
namespace {

// Large enough to keep the huge mappings that the kernel makes of large folios, small enough for
// the cores to finish at the same time.
constexpr std::size_t kStripeBytes = std::size_t{4} << 20;

int MadviseValue(Advice advice) {
  switch (advice) {
    case Advice::kNone:
    case Advice::kNormal:
      return MADV_NORMAL;
    case Advice::kSequential:
      return MADV_SEQUENTIAL;
    case Advice::kRandom:
      return MADV_RANDOM;
    case Advice::kWillNeed:
      return MADV_WILLNEED;
  }
  return MADV_NORMAL;
}

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value / unit + (value % unit != 0 ? 1 : 0)) * unit;
}

// A part of the file in memory, shared by the blocks that lie in it.
class View {
 public:
  View(const os::File& file, std::uint64_t begin, std::uint64_t end, Advice advice)
      : begin_(begin / os::PageBytes() * os::PageBytes()),
        mapping_(file, begin_, static_cast<std::size_t>(end - begin_)) {
    if (advice != Advice::kNone) mapping_.Advise(MadviseValue(advice), 0, mapping_.size());
  }

  std::uint64_t end() const { return begin_ + mapping_.size(); }
  const char* At(std::uint64_t offset) const { return mapping_.data() + (offset - begin_); }
  void Populate(std::uint64_t begin, std::uint64_t end) const {
    mapping_.Populate(begin - begin_, std::min(end, this->end()) - begin_);
  }
  // Takes [begin, end) out of the process's memory, in which mapped pages count; they can be
  // touched again all the same.
  void Release(std::uint64_t begin, std::uint64_t end) const {
    mapping_.Advise(MADV_DONTNEED, begin - begin_, std::min(end, this->end()) - begin_);
  }
  std::optional<std::uint64_t> FirstLost() const {
    const std::optional<std::size_t> lost = mapping_.FirstLost();
    if (!lost) return std::nullopt;
    return begin_ + *lost;
  }

 private:
  std::uint64_t begin_;  // file offset
  os::Mapping mapping_;
};

class MmapSource final : public BlockSource {
 public:
  MmapSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
             const IoSpec& spec, char terminator);

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "mmap"; }

 private:
  class Lease;

  std::shared_ptr<const View> WindowAt(std::uint64_t offset);

  os::File& file_;
  const std::uint64_t start_;
  const std::uint64_t size_;  // the file's, when it was opened
  const IoSpec spec_;
  const char terminator_;
  const std::uint64_t stripe_bytes_;
  const std::uint64_t window_bytes_;  // a multiple of stripe_bytes_
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;  // guards the two below
  std::shared_ptr<const View> window_;
  std::uint64_t window_index_ = 0;
};

class MmapSource::Lease final : public BlockLease {
 public:
  Lease(MmapSource& source, std::uint64_t index);
  ~Lease() override;

  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override;

 private:
  std::uint64_t EndOfLine(std::uint64_t begin, std::uint64_t from);

  MmapSource& source_;
  const std::uint64_t stripe_;         // its first byte's file offset
  std::shared_ptr<const View> window_;  // that holds the stripe
  std::shared_ptr<const View> view_;    // that holds the block
  std::uint64_t begin_ = 0;             // of the block, file offset
  std::uint64_t end_ = 0;
  std::uint64_t examined_end_ = 0;  // of what was looked at to find the block
  std::optional<Damage> damage_;
};

MmapSource::MmapSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                       const IoSpec& spec, char terminator)
    : file_(file),
      start_(start_offset),
      size_(info.size_bytes),
      spec_(spec),
      terminator_(terminator),
      stripe_bytes_(spec.window_bytes == 0 || spec.window_bytes >= kStripeBytes
                        ? kStripeBytes
                        : RoundUp(spec.window_bytes, os::PageBytes())),
      window_bytes_(RoundUp(spec.window_bytes == 0 ? size_ : spec.window_bytes, stripe_bytes_)) {
  if (start_ < size_) WindowAt(start_);  // a file that cannot be mapped says so here
}

// The window that holds `offset`, and one page before it: the last byte there tells whether the
// window begins with a line.
std::shared_ptr<const View> MmapSource::WindowAt(std::uint64_t offset) {
  const std::uint64_t index = (offset - start_) / window_bytes_;
  std::lock_guard lock(mutex_);
  if (window_ && window_index_ == index) return window_;
  const std::uint64_t begin = start_ + index * window_bytes_;
  const std::uint64_t end = std::min(size_, begin + window_bytes_);
  auto window =
      std::make_shared<const View>(file_, begin - (index == 0 ? 0 : 1), end, spec_.advice);
  // A straggler that works on an earlier window must not take the current one away.
  if (!window_ || index > window_index_) {
    window_ = window;
    window_index_ = index;
  }
  return window;
}

std::unique_ptr<BlockLease> MmapSource::Next() {
  const std::uint64_t index = next_.fetch_add(1);
  if (start_ >= size_ || index > (size_ - start_ - 1) / stripe_bytes_) return nullptr;
  return std::make_unique<Lease>(*this, index);
}

MmapSource::Lease::Lease(MmapSource& source, std::uint64_t index)
    : source_(source), stripe_(source.start_ + index * source.stripe_bytes_) {
  block_.index = index;
  const std::uint64_t stripe = stripe_;
  begin_ = end_ = stripe;
  try {
    view_ = window_ = source.WindowAt(stripe);
    const std::uint64_t stripe_end = std::min(stripe + source.stripe_bytes_, view_->end());
    examined_end_ = stripe_end;
    if (source.spec_.populate) view_->Populate(stripe, stripe_end);
    std::optional<char> previous;
    if (index > 0) previous = *View(source.file_, stripe - 1, stripe, Advice::kNone).At(stripe - 1);
    const auto first = FirstLineIn(view_->At(stripe), static_cast<std::size_t>(stripe_end - stripe),
                                   previous, source.terminator_);
    if (first) {
      begin_ = stripe + *first;
      end_ = EndOfLine(begin_, stripe_end - 1);
      examined_end_ = end_;
    }
  } catch (const os::IoError& error) {
    damage_.emplace(Damage{0, error});
    begin_ = end_ = stripe;
  }
  block_.offset = begin_ - source.start_;
  if (end_ > begin_) {
    block_.bytes = std::string_view(view_->At(begin_), static_cast<std::size_t>(end_ - begin_));
  }
}

MmapSource::Lease::~Lease() {
  if (window_ != nullptr) window_->Release(stripe_, stripe_ + source_.stripe_bytes_);
}

// The end of the line that holds byte `from`; when it lies behind the window, view_ becomes a
// mapping of this block's own.
std::uint64_t MmapSource::Lease::EndOfLine(std::uint64_t begin, std::uint64_t from) {
  while (true) {
    const std::uint64_t view_end = view_->end();
    const void* found = std::memchr(view_->At(from), source_.terminator_,
                                    static_cast<std::size_t>(view_end - from));
    if (found != nullptr) {
      return from + static_cast<std::uint64_t>(static_cast<const char*>(found) - view_->At(from)) +
             1;
    }
    if (view_end >= source_.size_) return view_end;
    const std::uint64_t end =
        std::min(source_.size_, std::max(view_end + kStripeBytes, view_end + (view_end - begin)));
    from = view_end;
    view_ = std::make_shared<const View>(source_.file_, begin, end, source_.spec_.advice);
  }
}

bool MmapSource::Lease::NulFollows(std::uint64_t end_offset) {
  const std::uint64_t until = std::min(source_.size_, source_.start_ + end_offset);
  if (until <= end_) return false;
  try {
    // A view of its own: what lies there may have been searched and released already.
    const View view(source_.file_, end_, until, Advice::kNone);
    const void* found = std::memchr(view.At(end_), '\0', static_cast<std::size_t>(until - end_));
    if (found == nullptr) return false;
    // Behind the end of a file that has shrunk there are zeros, which are not the file's.
    const std::uint64_t at =
        end_ + static_cast<std::uint64_t>(static_cast<const char*>(found) - view.At(end_));
    return at < view.FirstLost().value_or(until) && at < source_.file_.Info().size_bytes;
  } catch (const os::IoError&) {
    return false;  // the block that owns those bytes reports it
  }
}

std::optional<Damage> MmapSource::Lease::CheckDamage() {
  // A block can be empty because the bytes in which its first line would begin are lost.
  if (damage_ || examined_end_ == begin_) return damage_;
  std::uint64_t size_now = source_.size_;
  try {
    size_now = source_.file_.Info().size_bytes;
  } catch (const os::IoError& error) {
    damage_.emplace(Damage{0, error});
    return damage_;
  }
  const std::uint64_t lost = view_->FirstLost().value_or(examined_end_);
  if (size_now < examined_end_) {
    // Up to the new end the page still holds the file's bytes.
    const std::uint64_t valid = std::clamp(std::min(size_now, lost), begin_, end_);
    damage_.emplace(Damage{static_cast<std::size_t>(valid - begin_),
                           ShrankError(source_.file_.name(), size_now)});
  } else if (lost < examined_end_) {
    const std::uint64_t valid = std::clamp(lost, begin_, end_);
    damage_.emplace(Damage{WholeLines(block_.bytes.data(), static_cast<std::size_t>(valid - begin_),
                                      source_.terminator_),
                           os::IoError(source_.file_.name(), EIO, lost)});
  }
  return damage_;
}

}  // namespace

std::unique_ptr<BlockSource> MakeMmapSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, const IoSpec& spec,
                                            char terminator) {
  return std::make_unique<MmapSource>(file, info, start_offset, spec, terminator);
}

}  // namespace mr::io
