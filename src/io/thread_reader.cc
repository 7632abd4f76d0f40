#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "io/chunk_reader.h"

namespace mr::io {
namespace {

class ThreadReader final : public ChunkReader {
 public:
  ThreadReader(const os::File& file, unsigned depth) : file_(file), slots_(depth) {
    threads_.reserve(depth);
    try {
      for (Slot& slot : slots_) threads_.emplace_back([this, &slot] { Serve(slot); });
    } catch (const std::system_error&) {
      // A limit on processes. Reads of the slots left over are made by Wait.
    }
  }

  ~ThreadReader() override {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Start(unsigned slot, const ChunkRead& read) override {
    {
      std::lock_guard lock(mutex_);
      slots_[slot].read = read;
      slots_[slot].state = State::kReading;
    }
    changed_.notify_all();
  }

  ChunkResult Wait(unsigned slot) override {
    std::unique_lock lock(mutex_);
    if (slot >= threads_.size() && slots_[slot].state == State::kReading) {
      slots_[slot].result = Read(slots_[slot].read);
      slots_[slot].state = State::kDone;
    }
    changed_.wait(lock, [&] { return slots_[slot].state == State::kDone; });
    return slots_[slot].result;
  }

  unsigned UnderWay() override {
    std::lock_guard lock(mutex_);
    return static_cast<unsigned>(std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.state == State::kReading;
    }));
  }

 private:
  enum class State { kDone, kReading };
  struct Slot {
    State state = State::kDone;
    ChunkRead read;
    ChunkResult result;
  };

  ChunkResult Read(const ChunkRead& read) const {
    ChunkResult result;
    try {
      result.bytes = file_.ReadAt(read.buffer, read.bytes, read.offset, read.options);
    } catch (const os::IoError& error) {
      result.error_number = error.error_number();
    }
    return result;
  }

  void Serve(Slot& slot) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return closing_ || slot.state == State::kReading; });
      if (slot.state != State::kReading) return;
      const ChunkRead read = slot.read;
      lock.unlock();
      const ChunkResult result = Read(read);
      lock.lock();
      slot.result = result;
      slot.state = State::kDone;
      changed_.notify_all();
    }
  }

  const os::File& file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<ChunkReader> MakeThreadReader(const os::File& file, unsigned depth) {
  return std::make_unique<ThreadReader>(file, depth);
}

}  // namespace mr::io
