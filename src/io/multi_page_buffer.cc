#include "io/multi_page_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace mr::io {
namespace {

// Small pages come in regions of this size: one system call for many pages, and not so large that a
// size that is rarely used holds much memory.
constexpr std::size_t kRegionBytes = std::size_t{256} << 10;
// What the kernel maps at least.
constexpr std::size_t kLeastRegionBytes = 4096;

// The largest page that a buffer of `bytes` > 0, rounded up to the smallest page, fills.
int LargestFilledClass(std::uint64_t bytes) {
  const std::uint64_t units = (bytes - 1) / kSmallestBufferPage + 1;
  return std::min(static_cast<int>(std::bit_width(units)) - 1, kBufferPageSizes - 1);
}

}  // namespace

MultiPageBuffer::MultiPageBuffer(MultiPageBuffer&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      pages_(std::exchange(other.pages_, {})) {}

MultiPageBuffer& MultiPageBuffer::operator=(MultiPageBuffer&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(size_, other.size_);
  std::swap(pages_, other.pages_);
  return *this;
}

MultiPageBuffer::~MultiPageBuffer() {
  if (pool_ != nullptr) pool_->Return(*this);
}

std::uint64_t MultiPageBuffer::capacity() const {
  std::uint64_t bytes = 0;
  for (const Page& page : pages_) bytes += BufferPageBytes(page.size_class);
  return bytes;
}

std::string_view MultiPageBuffer::bytes(std::size_t index) const {
  // Only the last page can be used in part: the others are smaller than the size by construction.
  const std::size_t whole = BufferPageBytes(pages_[index].size_class);
  if (index + 1 < pages_.size()) return {pages_[index].data, whole};
  return {pages_[index].data, whole - static_cast<std::size_t>(capacity() - size_)};
}

PagePool::PagePool(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

PagePool::~PagePool() {
  for (const auto& [begin, region] : regions_) ::munmap(begin, region.bytes);
}

std::optional<MultiPageBuffer> PagePool::Allocate(std::uint64_t bytes) {
  MultiPageBuffer buffer;
  std::lock_guard lock(mutex_);
  for (std::uint64_t have = 0; have < bytes;) {
    bool taken = false;
    try {
      taken = TakeAnyPage(LargestFilledClass(bytes - have), buffer.pages_);
    } catch (...) {
      ReturnPages(buffer.pages_);
      throw;
    }
    if (!taken) {
      ReturnPages(buffer.pages_);
      return std::nullopt;
    }
    have += BufferPageBytes(buffer.pages_.back().size_class);
  }
  buffer.pool_ = this;
  buffer.size_ = bytes;
  asked_bytes_ += bytes;
  ++buffers_;
  return buffer;
}

bool PagePool::TakeAnyPage(int wanted_class, std::vector<MultiPageBuffer::Page>& pages) {
  const auto wanted = static_cast<std::size_t>(wanted_class);
  if (!free_[wanted].empty() || MapRegion(wanted_class)) {
    TakeFree(wanted, pages);
    return true;
  }
  for (std::size_t smaller = wanted; smaller-- > 0;) {
    if (free_[smaller].empty()) continue;
    TakeFree(smaller, pages);
    return true;
  }
  for (std::size_t larger = wanted + 1; larger < free_.size(); ++larger) {
    if (free_[larger].empty()) continue;
    TakeFree(larger, pages);
    return true;
  }
  return false;
}

void PagePool::TakeFree(std::size_t size_class, std::vector<MultiPageBuffer::Page>& pages) {
  pages.push_back({.data = free_[size_class].back(), .size_class = static_cast<int>(size_class)});
  free_[size_class].pop_back();
  Region& region = RegionOf(pages.back().data)->second;
  if (region.free_pages == region.pages) --unused_regions_;
  --region.free_pages;
  ++used_[size_class];
}

bool PagePool::MapRegion(int size_class) {
  const std::size_t page_bytes = BufferPageBytes(size_class);
  std::size_t bytes = std::max(page_bytes, kRegionBytes);
  while (limit_bytes_ != 0 && mapped_bytes_ + bytes > limit_bytes_ && !UnmapFreeRegions(bytes)) {
    if (bytes <= std::max(page_bytes, kLeastRegionBytes)) return false;
    bytes /= 2;
  }
  const auto pages = static_cast<std::uint32_t>(bytes / page_bytes);
  std::vector<char*>& free = free_[static_cast<std::size_t>(size_class)];
  // Room for every page of this size there is, so that giving pages back never allocates.
  free.reserve(static_cast<std::size_t>(used_[static_cast<std::size_t>(size_class)]) + free.size() +
               pages);
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapped);
  try {
    regions_[begin] = {
        .bytes = bytes, .size_class = size_class, .pages = pages, .free_pages = pages};
  } catch (...) {
    ::munmap(mapped, bytes);
    throw;
  }
  mapped_bytes_ += bytes;
  ++unused_regions_;
  // The first page on top of the list, so that a region is used from its beginning.
  for (std::uint32_t i = pages; i > 0; --i) free.push_back(begin + (i - 1) * page_bytes);
  return true;
}

// Until `wanted_bytes` more can be mapped. The largest regions go last: they are the hardest to get
// back.
bool PagePool::UnmapFreeRegions(std::uint64_t wanted_bytes) {
  if (unused_regions_ == 0) return false;
  std::array<bool, kBufferPageSizes> touched{};
  std::vector<Regions::iterator> unused;
  for (auto region = regions_.begin(); region != regions_.end(); ++region) {
    if (region->second.free_pages == region->second.pages) unused.push_back(region);
  }
  std::stable_sort(unused.begin(), unused.end(),
                   [](const auto& a, const auto& b) { return a->second.bytes < b->second.bytes; });
  std::vector<std::pair<char*, char*>> gone;
  for (const Regions::iterator region : unused) {
    if (mapped_bytes_ + wanted_bytes <= limit_bytes_) break;
    gone.emplace_back(region->first, region->first + region->second.bytes);
    touched[static_cast<std::size_t>(region->second.size_class)] = true;
    ::munmap(region->first, region->second.bytes);
    mapped_bytes_ -= region->second.bytes;
    --unused_regions_;
    regions_.erase(region);
  }
  std::sort(gone.begin(), gone.end());
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (!touched[i]) continue;
    std::erase_if(free_[i], [&gone](char* page) {
      const auto after = std::upper_bound(
          gone.begin(), gone.end(), std::pair(page, page),
          [](const auto& a, const auto& b) { return std::less<>()(a.first, b.first); });
      return after != gone.begin() && std::less<>()(page, std::prev(after)->second);
    });
  }
  return mapped_bytes_ + wanted_bytes <= limit_bytes_;
}

PagePool::Regions::iterator PagePool::RegionOf(const char* page) {
  return std::prev(regions_.upper_bound(const_cast<char*>(page)));
}

void PagePool::ReturnPages(const std::vector<MultiPageBuffer::Page>& pages) noexcept {
  for (const MultiPageBuffer::Page& page : pages) {
    const auto size_class = static_cast<std::size_t>(page.size_class);
    free_[size_class].push_back(page.data);
    Region& region = RegionOf(page.data)->second;
    ++region.free_pages;
    if (region.free_pages == region.pages) ++unused_regions_;
    --used_[size_class];
  }
}

void PagePool::Return(MultiPageBuffer& buffer) noexcept {
  std::lock_guard lock(mutex_);
  ReturnPages(buffer.pages_);
  asked_bytes_ -= buffer.size_;
  --buffers_;
}

PoolFigures PagePool::figures() const {
  // A node of std::map: four words of links and colour, key and value.
  constexpr std::uint64_t kRegionRecordBytes = 4 * sizeof(void*) + sizeof(char*) + sizeof(Region);
  PoolFigures figures;
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    figures.classes[i] = {.pages_used = used_[i], .pages_free = free_[i].size()};
    figures.used += used_[i] * BufferPageBytes(static_cast<int>(i));
    figures.overhead +=
        free_[i].capacity() * sizeof(char*) + used_[i] * sizeof(MultiPageBuffer::Page);
  }
  figures.mapped = mapped_bytes_;
  figures.asked = asked_bytes_;
  figures.regions = regions_.size();
  figures.buffers = buffers_;
  figures.overhead += regions_.size() * kRegionRecordBytes + buffers_ * sizeof(MultiPageBuffer);
  return figures;
}

}  // namespace mr::io
