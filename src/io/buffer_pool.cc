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

// A number of the calling thread's: consecutive ones, so that few threads share one.
std::size_t ShelfOfThread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads++;
  return number;
}

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
  const std::size_t own = ShelfOfThread();
  for (std::size_t i = 0; i < shelves_.size() && free_bytes_ > 0; ++i) {
    Shelf& shelf = shelves_[(own + i) % shelves_.size()];
    std::unique_lock lock(shelf.mutex, std::defer_lock);
    if (i == 0) {
      lock.lock();
    } else if (!lock.try_lock()) {
      continue;  // whoever is there takes it, too
    }
    if (shelf.free.empty()) continue;
    Buffer buffer = std::move(shelf.free.back());
    shelf.free.pop_back();
    free_bytes_ -= buffer.capacity();
    if (buffer.capacity() >= capacity) return buffer;
  }
  return Buffer(capacity);
}

void BufferPool::Return(Buffer buffer) {
  if (!buffer.aligned() || free_bytes_ + buffer.capacity() > kKeepBytes) return;
  Shelf& shelf = shelves_[ShelfOfThread() % shelves_.size()];
  std::lock_guard lock(shelf.mutex);
  free_bytes_ += buffer.capacity();
  shelf.free.push_back(std::move(buffer));
}

}  // namespace mr::io
