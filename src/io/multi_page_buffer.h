// Buffers put together from pages of 20 sizes, over anonymous memory maps.
//
// After an application cache described by its author in 2010: page sizes are the powers of two from
// 512 B to 256 MiB, and a buffer takes the pages that the binary notation of its size, in units of
// 512 B, names: 1.2K becomes 1K + 512 B, 1.8K becomes 2K. So less than 512 B of a buffer are
// wasted, whatever its size, and it has at most 19 pages below 256 MiB.
//
// Pages of a size are carved from regions of memory that the kernel maps for that size, and go back
// to the free list of their size. A region all of whose pages are free can be unmapped and so
// become pages of another size. Where a limit forbids to map more, other free pages step in:
// several smaller ones, or at the end of the buffer a larger one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace mr::io {

inline constexpr std::size_t kSmallestBufferPage = 512;
inline constexpr int kBufferPageSizes = 20;
inline constexpr std::size_t kLargestBufferPage = kSmallestBufferPage << (kBufferPageSizes - 1);
static_assert(kLargestBufferPage == std::size_t{256} << 20);

constexpr std::size_t BufferPageBytes(int size_class) { return kSmallestBufferPage << size_class; }

class PagePool;

// Memory in pieces, largest first. Movable; gives its pages back when destroyed. The pool must
// outlive it.
class MultiPageBuffer {
 public:
  struct Page {
    char* data = nullptr;
    int size_class = 0;
  };

  MultiPageBuffer() = default;
  MultiPageBuffer(MultiPageBuffer&& other) noexcept;
  MultiPageBuffer& operator=(MultiPageBuffer&& other) noexcept;
  ~MultiPageBuffer();

  std::uint64_t size() const { return size_; }
  std::uint64_t capacity() const;  // bytes of its pages
  const std::vector<Page>& pages() const { return pages_; }

  // The part of page `index` that holds bytes of the buffer.
  char* data(std::size_t index) { return pages_[index].data; }
  std::string_view bytes(std::size_t index) const;

 private:
  friend class PagePool;
  PagePool* pool_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Page> pages_;
};

// Where the pool's memory is. Every figure is in bytes unless it says otherwise.
struct PoolFigures {
  struct Class {
    std::uint64_t pages_used = 0;
    std::uint64_t pages_free = 0;
  };
  std::array<Class, kBufferPageSizes> classes{};
  std::uint64_t mapped = 0;    // from the kernel
  std::uint64_t used = 0;      // in pages of buffers
  std::uint64_t asked = 0;     // of those, asked for
  std::uint64_t overhead = 0;  // the pool's own records, about
  std::uint64_t regions = 0;   // count
  std::uint64_t buffers = 0;   // count

  // Internal fragmentation: the share of used pages that nobody asked for.
  double internal() const { return used == 0 ? 0 : 1 - double(asked) / double(used); }
  // External: the share of mapped memory that lies in free lists.
  double external() const { return mapped == 0 ? 0 : 1 - double(used) / double(mapped); }
};

// Thread-safe.
class PagePool {
 public:
  // `limit_bytes` of mapped memory at most; 0 is no limit.
  explicit PagePool(std::uint64_t limit_bytes = 0);
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // A buffer of `bytes`, its contents undefined. Nothing when the limit leaves no room for it.
  // Throws std::bad_alloc when the kernel has no memory.
  std::optional<MultiPageBuffer> Allocate(std::uint64_t bytes);

  std::uint64_t limit_bytes() const { return limit_bytes_; }
  PoolFigures figures() const;

 private:
  friend class MultiPageBuffer;
  struct Region {
    std::size_t bytes = 0;
    int size_class = 0;
    std::uint32_t pages = 0;
    std::uint32_t free_pages = 0;
  };
  using Regions = std::map<char*, Region>;  // by address of the first byte

  void Return(MultiPageBuffer& buffer) noexcept;
  bool TakeAnyPage(int wanted_class, std::vector<MultiPageBuffer::Page>& pages);
  void TakeFree(std::size_t size_class, std::vector<MultiPageBuffer::Page>& pages);
  bool MapRegion(int size_class);
  bool UnmapFreeRegions(std::uint64_t wanted_bytes);
  void ReturnPages(const std::vector<MultiPageBuffer::Page>& pages) noexcept;
  Regions::iterator RegionOf(const char* page);

  const std::uint64_t limit_bytes_;
  mutable std::mutex mutex_;  // guards everything below
  Regions regions_;
  std::array<std::vector<char*>, kBufferPageSizes> free_;
  std::array<std::uint64_t, kBufferPageSizes> used_{};
  std::uint64_t mapped_bytes_ = 0;
  std::size_t unused_regions_ = 0;  // all of whose pages are free
  std::uint64_t asked_bytes_ = 0;
  std::uint64_t buffers_ = 0;
};

}  // namespace mr::io
