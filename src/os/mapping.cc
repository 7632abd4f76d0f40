#include "os/mapping.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <limits>
#include <mutex>
#include <utility>

#include "os/page_cache.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace mr::os {
namespace {

constexpr std::size_t kNothingLost = std::numeric_limits<std::size_t>::max();

// Read by the signal handler, so: fixed storage, atomics only. A slot is free while begin is 0.
struct Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::size_t> first_lost{kNothingLost};
  std::atomic<bool> taken{false};
};
// Enough for as many threads as a search may have, each with the mappings of a block.
std::array<Slot, 4096> slots;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

void OnSigbus(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const int saved_errno = errno;
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= end) continue;
    // Another thread may have given the slot to another mapping between the two loads.
    if (slot.begin.load(std::memory_order_acquire) != begin) continue;
    const std::uintptr_t page = address & ~(static_cast<std::uintptr_t>(PageBytes()) - 1);
    std::size_t lost = page - begin;
    std::size_t known = slot.first_lost.load();
    while (lost < known && !slot.first_lost.compare_exchange_weak(known, lost)) {
    }
    void* replaced = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    errno = saved_errno;
    if (replaced != MAP_FAILED) return;
    break;
  }
  // Not ours, or not to be helped: the default action takes place when the access is repeated.
  std::signal(signal, SIG_DFL);
}

void InstallHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    PageBytes();  // cached before a handler needs it
    struct sigaction action {};
    action.sa_sigaction = OnSigbus;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
  });
}

int TakeSlot() {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bool free = false;
    if (slots[i].taken.compare_exchange_strong(free, true)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::uint64_t MinorFaultsOfThread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

Mapping::Mapping(const File& file, std::uint64_t offset, std::size_t bytes, bool populate)
    : size_(bytes), slot_(TakeSlot()) {
  InstallHandler();
  if (slot_ < 0) throw IoError(file.name(), EMFILE);
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | (populate ? MAP_POPULATE : 0),
                        file.fd(), static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) {
    const int error = errno;
    slot.taken.store(false);
    throw IoError(file.name(), error);
  }
  data_ = static_cast<const char*>(mapped);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  slot.first_lost.store(kNothingLost);
  slot.end.store(begin + bytes, std::memory_order_release);
  slot.begin.store(begin, std::memory_order_release);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      slot_(std::exchange(other.slot_, -1)) {}

Mapping::~Mapping() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.begin.store(0, std::memory_order_release);
  ::munmap(const_cast<char*>(data_), size_);
  slot.taken.store(false);
}

std::optional<std::size_t> Mapping::FirstLost() const {
  const std::size_t lost = slots[static_cast<std::size_t>(slot_)].first_lost.load();
  if (lost == kNothingLost) return std::nullopt;
  return lost;
}

void Mapping::Advise(int advice, std::size_t begin, std::size_t end) const {
  const std::size_t from = begin / PageBytes() * PageBytes();
  ::madvise(const_cast<char*>(data_) + from, std::min(end, size_) - from, advice);
}

int Mapping::Populate(std::size_t begin, std::size_t end) const {
  const std::size_t from = begin / PageBytes() * PageBytes();
  if (::madvise(const_cast<char*>(data_) + from, std::min(end, size_) - from, MADV_POPULATE_READ) ==
      0) {
    return 0;
  }
  return errno;
}

}  // namespace mr::os
