#include "io/stripes.h"

#include <algorithm>

namespace mr::io {

std::uint64_t Holes::NextData(std::uint64_t offset, std::uint64_t size) {
  if (!skip_ || offset >= size) return offset;
  if (offset >= data_until_) {
    data_from_ = std::min(file_.NextData(offset, size), size);
    data_until_ = data_from_ < size ? file_.NextHole(data_from_, size) : size;
  }
  return std::max(offset, data_from_);
}

StripeQueue::StripeQueue(const os::File& file, const os::FileInfo& info, std::uint64_t start_offset,
                         std::uint64_t stripe_bytes, bool skip_holes)
    : file_(file),
      start_(start_offset),
      stripe_bytes_(stripe_bytes),
      holes_(file, info, skip_holes),
      size_(info.size_bytes),
      next_(start_offset) {}

std::optional<StripeQueue::Stripe> StripeQueue::Take() {
  std::lock_guard lock(mutex_);
  Stripe stripe;
  if (next_ >= size_ && !size_is_final_) stripe.exceeds_size = !LookBehindEnd();
  if (next_ >= size_) {
    size_is_final_ = true;
    return std::nullopt;
  }
  // Stripes begin and end at multiples of their size, except where the file seemed to end.
  const auto boundary = [&](std::uint64_t offset) {
    return start_ + (offset - start_) / stripe_bytes_ * stripe_bytes_;
  };
  // The first stripe is read in any case: it shows that there are NULs.
  const std::uint64_t data = index_ > 0 ? holes_.NextData(next_, size_) : next_;
  const std::uint64_t begin = std::max(next_, data >= size_ ? size_ : boundary(data));
  stripe.zeros_before = begin - next_;
  stripe.begin = begin;
  stripe.end = next_ = std::min(size_, boundary(begin) + stripe_bytes_);
  stripe.last = next_ == size_;
  stripe.index = index_++;
  return stripe;
}

// Whether the file's size tells all of it. When its end can no longer be asked for, the file ends
// where it ended before.
bool StripeQueue::LookBehindEnd() {
  try {
    size_ = std::max(size_, file_.Info().size_bytes);
    char byte = 0;
    if (next_ < size_ || file_.ReadAt(&byte, 1, next_) == 0) return true;
    size_ = next_ + stripe_bytes_;
    return false;
  } catch (const os::IoError&) {
    return true;
  }
}

bool StripeQueue::EndsAt(std::uint64_t offset) {
  std::lock_guard lock(mutex_);
  if (size_is_final_) return offset >= size_;
  if (next_ > offset) return false;
  size_ = offset;
  size_is_final_ = true;
  return true;
}

std::uint64_t StripeQueue::Reach(std::uint64_t offset) {
  std::lock_guard lock(mutex_);
  if (size_is_final_) return std::min(offset, size_);
  size_ = std::max(size_, offset);
  return offset;
}

std::uint64_t StripeQueue::Refresh() {
  std::lock_guard lock(mutex_);
  if (!size_is_final_) size_ = std::max(size_, file_.Info().size_bytes);
  return size_;
}

std::uint64_t StripeQueue::size() {
  std::lock_guard lock(mutex_);
  return size_;
}

void StripeQueue::End() {
  std::lock_guard lock(mutex_);
  size_is_final_ = true;
  size_ = std::min(size_, next_);
}

}  // namespace mr::io
