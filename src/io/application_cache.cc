#include "io/application_cache.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "io/stripes.h"
#include "os/file.h"

namespace mr::io {

ApplicationCache::ApplicationCache(std::uint64_t limit_bytes)
    : pool_(std::make_shared<PagePool>(limit_bytes)) {}

ApplicationCache::File ApplicationCache::Get(const std::string& path) {
  {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = index_.find(path);
      if (found == index_.end()) break;
      if (found->second->file) {
        entries_.splice(entries_.begin(), entries_, found->second);
        ++figures_.hits;
        figures_.hit_bytes += found->second->file->size();
        return found->second->file;
      }
      // When its load fails the entry is gone, and this thread tries for itself.
      loaded_.wait(lock);
    }
    entries_.push_front({.path = path, .file = nullptr});
    index_.emplace(entries_.front().path, entries_.begin());
    ++figures_.misses;
  }
  File file;
  try {
    file = Load(path);
  } catch (...) {
    std::lock_guard lock(mutex_);
    const auto found = index_.find(path);
    const Entries::iterator entry = found->second;
    index_.erase(found);
    entries_.erase(entry);
    loaded_.notify_all();
    throw;
  }
  std::lock_guard lock(mutex_);
  const auto found = index_.find(path);
  if (file) {
    found->second->file = file;
    figures_.miss_bytes += file->size();
  } else {
    const Entries::iterator entry = found->second;
    index_.erase(found);
    entries_.erase(entry);
    ++figures_.refusals;
  }
  loaded_.notify_all();
  return file;
}

ApplicationCache::File ApplicationCache::Peek(const std::string& path) {
  std::lock_guard lock(mutex_);
  const auto found = index_.find(path);
  if (found == index_.end() || !found->second->file) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->file;
}

ApplicationCache::File ApplicationCache::Load(const std::string& path) {
  const os::File file = os::File::Open(path, path, AT_FDCWD);
  const os::FileInfo info = file.Info();
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(path, EISDIR);
  if (info.kind != os::FileKind::kRegular) throw os::IoError(path, "not a regular file");
  std::optional<MultiPageBuffer> buffer = pool_->Allocate(info.size_bytes);
  while (!buffer) {
    if (!EvictOne()) return nullptr;
    buffer = pool_->Allocate(info.size_bytes);
  }
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < buffer->pages().size(); ++i) {
    const std::size_t wanted = buffer->bytes(i).size();
    for (std::size_t have = 0; have < wanted;) {
      const std::size_t got = file.ReadAt(buffer->data(i) + have, wanted - have, offset + have);
      if (got == 0) throw ShrankError(path, offset + have);
      have += got;
    }
    offset += wanted;
  }
  // Behind the buffer stands the pool, so that it is there as long as anybody holds its pages.
  struct Kept {
    std::shared_ptr<PagePool> pool;
    MultiPageBuffer buffer;
  };
  auto kept = std::make_shared<Kept>(Kept{pool_, std::move(*buffer)});
  return File(kept, &kept->buffer);
}

// The least recently used file whose memory nobody else holds. False when there is none.
bool ApplicationCache::EvictOne() {
  File victim;  // its memory goes back after the lock
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.end(); entry != entries_.begin();) {
    --entry;
    if (!entry->file || entry->file.use_count() > 1) continue;
    index_.erase(entry->path);
    victim = std::move(entry->file);
    entries_.erase(entry);
    ++figures_.evictions;
    return true;
  }
  return false;
}

void ApplicationCache::Clear() {
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (!entry->file) {  // being loaded
      ++entry;
      continue;
    }
    index_.erase(entry->path);
    entry = entries_.erase(entry);
  }
}

CacheFigures ApplicationCache::figures() const {
  // A list node, an index node with its hash, and the control block of the shared file.
  constexpr std::uint64_t kEntryBytes = sizeof(Entry) + 2 * sizeof(void*) +
                                        sizeof(std::string_view) + 4 * sizeof(void*) +
                                        sizeof(MultiPageBuffer) + 6 * sizeof(void*);
  std::lock_guard lock(mutex_);
  CacheFigures figures = figures_;
  figures.files = entries_.size();
  figures.overhead_bytes = entries_.size() * kEntryBytes + index_.bucket_count() * sizeof(void*);
  for (const Entry& entry : entries_) figures.overhead_bytes += entry.path.capacity() + 1;
  return figures;
}

}  // namespace mr::io
