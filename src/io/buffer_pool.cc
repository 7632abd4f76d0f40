#include "io/buffer_pool.h"

#include <cstdint>
#include <new>
#include <utility>

namespace mr::io {
namespace {

constexpr std::size_t kAlignment = 4096;
// Enough for what the threads of a large machine have in hand at once; what is beyond it, and what
// a long line has made larger than that, goes back to the system.
constexpr std::size_t kKeepBytes = std::size_t{64} << 20;

}  // namespace

Buffer::Buffer(std::size_t capacity) : capacity_((capacity + kAlignment - 1) & ~(kAlignment - 1)) {
  if (capacity_ < capacity) throw std::bad_alloc();
  memory_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, capacity_)));
  if (!memory_) throw std::bad_alloc();
}

void Buffer::Grow(std::size_t capacity) {
  if (capacity <= capacity_) return;
  void* grown = std::realloc(memory_.get(), capacity);
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(memory_.release());
  memory_.reset(static_cast<char*>(grown));
  capacity_ = capacity;
}

bool Buffer::aligned() const {
  return reinterpret_cast<std::uintptr_t>(memory_.get()) % kAlignment == 0;
}

Buffer BufferPool::Take(std::size_t capacity) {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Buffer buffer = std::move(free_.back());
      free_.pop_back();
      free_bytes_ -= buffer.capacity();
      if (buffer.capacity() >= capacity) return buffer;
    }
  }
  return Buffer(capacity);
}

void BufferPool::Return(Buffer buffer) {
  if (!buffer.aligned()) return;
  std::lock_guard lock(mutex_);
  if (free_bytes_ + buffer.capacity() > kKeepBytes) return;
  free_bytes_ += buffer.capacity();
  free_.push_back(std::move(buffer));
}

}  // namespace mr::io
