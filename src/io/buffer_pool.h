// Reusable memory for blocks that are read rather than mapped.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace mr::io {

// Growable, page-aligned until it first grows, never initialised: zeroing would cost a pass over
// memory for each block.
class Buffer {
 public:
  explicit Buffer(std::size_t capacity);  // throws std::bad_alloc
  Buffer(Buffer&& other) noexcept = default;
  Buffer& operator=(Buffer&& other) noexcept = default;

  char* data() { return memory_.get(); }
  const char* data() const { return memory_.get(); }
  std::size_t capacity() const { return capacity_; }
  bool aligned() const;  // as a new one is, and direct reads need it

  // Makes room for `capacity` bytes, keeping the contents; large buffers grow by mremap inside
  // realloc, without a copy. Throws std::bad_alloc.
  void Grow(std::size_t capacity);

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t capacity_ = 0;
};

// Lends buffers and takes them back. Thread-safe; must outlive every source that uses it.
class BufferPool {
 public:
  // A buffer of at least `capacity` bytes.
  Buffer Take(std::size_t capacity);
  // Keeps it for the next Take, unless it has grown or there are enough.
  void Return(Buffer buffer);

 private:
  // Threads that read many small files would meet at a single list.
  struct alignas(64) Shelf {
    std::mutex mutex;
    std::vector<Buffer> free;
  };
  std::array<Shelf, 16> shelves_;
  std::atomic<std::size_t> free_bytes_{0};
};

}  // namespace mr::io
