#include "io/mmap_source.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "io/round_up.h"
#include "io/stripes.h"
#include "os/mapping.h"
#include "os/page_cache.h"

namespace mr::io {
namespace {

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
  bool Holds(std::uint64_t begin, std::uint64_t end) const {
    return begin_ <= begin && end <= this->end();
  }
  int Populate(std::uint64_t begin, std::uint64_t end) const {
    return mapping_.Populate(begin - begin_, std::min(end, this->end()) - begin_);
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
             const IoSpec& spec, const LineRules& rules, std::uint64_t stripe_bytes);

  std::unique_ptr<BlockLease> Next() override;
  bool parallel() const override { return true; }
  std::string_view mode() const override { return "mmap"; }

 private:
  class Lease;

  std::shared_ptr<const View> WindowWith(std::uint64_t begin, std::uint64_t end);

  os::File& file_;
  const std::uint64_t start_;
  const IoSpec spec_;
  const LineRules rules_;
  const std::uint64_t stripe_bytes_;
  const std::uint64_t window_bytes_;  // a multiple of stripe_bytes_
  StripeQueue stripes_;
  std::mutex mutex_;  // guards window_
  std::shared_ptr<const View> window_;
};

class MmapSource::Lease final : public BlockLease {
 public:
  Lease(MmapSource& source, const StripeQueue::Stripe& stripe);
  ~Lease() override;

  bool NulFollows(std::uint64_t end_offset) override;
  std::optional<Damage> CheckDamage() override;

 private:
  void FindLines(const StripeQueue::Stripe& stripe);
  std::uint64_t EndOfLastLine(std::uint64_t begin, std::uint64_t from);

  MmapSource& source_;
  const StripeQueue::Stripe stripe_;
  std::shared_ptr<const View> window_;  // that holds the stripe
  std::shared_ptr<const View> view_;    // that holds the block
  std::uint64_t begin_ = 0;             // of the block, file offset
  std::uint64_t end_ = 0;
  std::uint64_t examined_end_ = 0;  // of what was looked at to find the block
};

MmapSource::MmapSource(os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                       const IoSpec& spec, const LineRules& rules, std::uint64_t stripe_bytes)
    : file_(file),
      start_(start_offset),
      spec_(spec),
      rules_(rules),
      stripe_bytes_(
          RoundUp(spec.window_bytes == 0 ? stripe_bytes : std::min(stripe_bytes, spec.window_bytes),
                  os::PageBytes())),
      window_bytes_(RoundUp(
          std::max<std::uint64_t>(spec.window_bytes == 0 ? info.size_bytes : spec.window_bytes, 1),
          stripe_bytes_)),
      stripes_(file, info, start_offset, stripe_bytes_, rules.skip_holes) {
  // A file that cannot be mapped says so here.
  if (start_ < info.size_bytes) {
    WindowWith(start_, std::min(info.size_bytes, start_ + stripe_bytes_));
  }
}

// A window that holds [begin, end), which lies in one, and one page before it: the last byte there
// tells whether the window begins with a line.
std::shared_ptr<const View> MmapSource::WindowWith(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t window = start_ + (begin - start_) / window_bytes_ * window_bytes_;
  const std::uint64_t first = window - (window == start_ ? 0 : 1);
  std::lock_guard lock(mutex_);
  if (window_ && window_->Holds(first, end)) return window_;
  // Not behind what is known of the file: pages there would be lost as soon as they are touched.
  const std::uint64_t known = std::max(end, stripes_.size());
  auto made = std::make_shared<const View>(file_, first, std::min(known, window + window_bytes_),
                                           spec_.advice);
  // A straggler that works on an earlier window must not take the current one away.
  if (!window_ || made->end() > window_->end()) window_ = made;
  return made;
}

std::unique_ptr<BlockLease> MmapSource::Next() {
  const std::optional<StripeQueue::Stripe> stripe = stripes_.Take();
  if (!stripe) return nullptr;
  return std::make_unique<Lease>(*this, *stripe);
}

MmapSource::Lease::Lease(MmapSource& source, const StripeQueue::Stripe& stripe)
    : source_(source), stripe_(stripe) {
  block_.index = stripe.index;
  block_.zeros_before = stripe.zeros_before;
  begin_ = end_ = examined_end_ = stripe.begin;
  try {
    if (stripe.exceeds_size) {
      throw os::IoError(source.file_.name(), "is longer than its size says; needs IO mode read");
    }
    if (stripe.end > stripe.begin) FindLines(stripe);
  } catch (const os::IoError& error) {
    damage_.emplace(Damage{0, error});
    begin_ = end_ = stripe.begin;
  }
  block_.offset = begin_ - source.start_;
  if (end_ > begin_) {
    block_.bytes = std::string_view(view_->At(begin_), static_cast<std::size_t>(end_ - begin_));
  }
}

MmapSource::Lease::~Lease() {
  if (window_ != nullptr) window_->Release(stripe_.begin, stripe_.end);
}

void MmapSource::Lease::FindLines(const StripeQueue::Stripe& stripe) {
  view_ = window_ = source_.WindowWith(stripe.begin, stripe.end);
  examined_end_ = stripe.end;
  if (source_.spec_.populate) {
    // EFAULT: pages that cannot be had. Touching them tells which.
    const int error = view_->Populate(stripe.begin, stripe.end);
    if (error == EINVAL) {
      throw os::IoError(source_.file_.name(), "the kernel cannot populate mappings (before 5.14)");
    }
    if (error != 0 && error != EFAULT) {
      throw os::IoError(source_.file_.name(), error, stripe.begin);
    }
  }
  std::optional<char> previous;
  if (stripe.index > 0) {
    char byte = 0;
    if (source_.file_.ReadAt(&byte, 1, stripe.begin - 1) == 1) previous = byte;
  }
  const auto first =
      FirstLineIn(view_->At(stripe.begin), static_cast<std::size_t>(stripe.end - stripe.begin),
                  previous, source_.rules_);
  if (!first) return;
  begin_ = stripe.begin + *first;
  end_ = EndOfLastLine(begin_, stripe.end - 1);
  examined_end_ = end_;
}

// The end of the line that holds byte `from`; when it lies behind the window, view_ becomes a
// mapping of this block's own.
std::uint64_t MmapSource::Lease::EndOfLastLine(std::uint64_t begin, std::uint64_t from) {
  while (true) {
    const std::uint64_t view_end = view_->end();
    const auto end =
        EndOfLine(view_->At(from), 0, static_cast<std::size_t>(view_end - from), source_.rules_);
    if (end) return from + *end;
    std::uint64_t size = source_.stripes_.Refresh();
    if (size <= view_end) {
      if (source_.stripes_.EndsAt(view_end)) return view_end;
      size = source_.stripes_.Refresh();  // somebody has seen more of it
    }
    const std::uint64_t upto =
        std::min(size, std::max(view_end + source_.stripe_bytes_, view_end + (view_end - begin)));
    from = view_end;
    view_ = std::make_shared<const View>(source_.file_, begin, upto, source_.spec_.advice);
  }
}

bool MmapSource::Lease::NulFollows(std::uint64_t end_offset) {
  try {
    const std::uint64_t until = std::min(source_.stripes_.Refresh(), source_.start_ + end_offset);
    if (until <= end_) return false;
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
  const std::uint64_t lost = view_->FirstLost().value_or(examined_end_);
  std::uint64_t size_now = examined_end_;
  int error = EIO;
  try {
    size_now = source_.file_.Info().size_bytes;
  } catch (const os::IoError& failure) {
    error = failure.error_number();  // its server is gone: what has been seen has been seen
  }
  if (size_now < examined_end_) {
    // Up to the new end the page still holds the file's bytes.
    const std::uint64_t valid = std::clamp(std::min(size_now, lost), begin_, end_);
    damage_.emplace(Damage{static_cast<std::size_t>(valid - begin_),
                           ShrankError(source_.file_.name(), size_now)});
  } else if (lost < examined_end_) {
    const std::uint64_t valid = std::clamp(lost, begin_, end_);
    damage_.emplace(Damage{
        WholeLines(block_.bytes.data(), static_cast<std::size_t>(valid - begin_), source_.rules_),
        os::IoError(source_.file_.name(), error, lost)});
  }
  return damage_;
}

}  // namespace

std::unique_ptr<BlockSource> MakeMmapSource(os::File& file, const os::FileInfo& info,
                                            std::uint64_t start_offset, const IoSpec& spec,
                                            const LineRules& rules, std::uint64_t stripe_bytes) {
  return std::make_unique<MmapSource>(file, info, start_offset, spec, rules, stripe_bytes);
}

}  // namespace mr::io
