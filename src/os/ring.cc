#include "os/ring.h"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace mr::os {
namespace {

// With the pauses before it this makes about a second.
constexpr auto kLongestPause = std::chrono::milliseconds(500);

}  // namespace

Ring::Ring(unsigned depth) : ring_(std::make_unique<io_uring>()) {
  const int error = ::io_uring_queue_init(depth, ring_.get(), 0);
  if (error < 0) throw IoError("io_uring", -error);
}

Ring::~Ring() {
  try {
    while (under_way_ > 0) Wait();
  } catch (const IoError&) {
    // The kernel answers no more. Closing the ring ends what can be ended.
  }
  ::io_uring_queue_exit(ring_.get());
}

void Ring::StartRead(const File& file, char* buffer, std::size_t bytes, std::uint64_t offset,
                     ReadOptions options, std::uint64_t tag) {
  if (broken_ != 0) throw IoError("io_uring", broken_);
  io_uring_sqe* const entry = ::io_uring_get_sqe(ring_.get());
  ::io_uring_prep_read(entry, file.fd(), buffer,
                       static_cast<unsigned>(std::min(bytes, kMaxTransferBytes)), offset);
  entry->rw_flags = options.Flags();
  ::io_uring_sqe_set_data64(entry, tag);
  // EAGAIN, EBUSY: the kernel is short of memory for requests, which it gets back as reads end.
  auto pause = std::chrono::microseconds(100);
  int submitted = ::io_uring_submit(ring_.get());
  while (submitted == -EINTR ||
         ((submitted == -EAGAIN || submitted == -EBUSY) && pause < kLongestPause)) {
    if (submitted != -EINTR) std::this_thread::sleep_for(pause);
    if (submitted != -EINTR) pause *= 2;
    submitted = ::io_uring_submit(ring_.get());
  }
  if (submitted < 0) {
    // The entry stays in the queue, so a later call would start the read after all.
    broken_ = -submitted;
    throw IoError("io_uring", broken_);
  }
  ++under_way_;
}

Ring::Completion Ring::Wait() {
  io_uring_cqe* entry = nullptr;
  int error = ::io_uring_wait_cqe(ring_.get(), &entry);
  while (error == -EINTR || error == -EAGAIN) {
    if (error == -EAGAIN) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    error = ::io_uring_wait_cqe(ring_.get(), &entry);
  }
  if (error < 0) throw IoError("io_uring", -error);
  Completion completion;
  completion.tag = ::io_uring_cqe_get_data64(entry);
  if (entry->res < 0) {
    completion.error_number = -entry->res;
  } else {
    completion.bytes = static_cast<std::size_t>(entry->res);
  }
  ::io_uring_cqe_seen(ring_.get(), entry);
  --under_way_;
  return completion;
}

unsigned Ring::UnderWay() const { return under_way_ - ::io_uring_cq_ready(ring_.get()); }

}  // namespace mr::os
