#include <memory>
#include <vector>

#include "io/chunk_reader.h"
#include "os/error.h"
#include "os/ring.h"

namespace mr::io {
namespace {

// Calls `use`. A ring that fails fails for a file, and the message has to name it.
template <typename Use>
auto Naming(const os::File& file, const Use& use) {
  try {
    return use();
  } catch (const os::IoError& error) {
    throw os::IoError(file.name() + ": " + error.path(), error.error_number());
  }
}

class RingReader final : public ChunkReader {
 public:
  RingReader(const os::File& file, unsigned depth)
      : file_(file),
        ring_(Naming(file, [&] { return std::make_unique<os::Ring>(depth); })),
        slots_(depth) {}

  void Start(unsigned slot, const ChunkRead& read) override {
    slots_[slot].done = false;
    Naming(file_, [&] {
      ring_->StartRead(file_, read.buffer, read.bytes, read.offset, read.options, slot);
    });
  }

  ChunkResult Wait(unsigned slot) override {
    while (!slots_[slot].done) {
      const os::Ring::Completion completion = Naming(file_, [&] { return ring_->Wait(); });
      slots_[completion.tag] = {{completion.bytes, completion.error_number}, true};
    }
    return slots_[slot].result;
  }

  unsigned UnderWay() override { return ring_->UnderWay(); }

 private:
  struct Slot {
    ChunkResult result;
    bool done = true;
  };

  const os::File& file_;
  std::unique_ptr<os::Ring> ring_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<ChunkReader> MakeRingReader(const os::File& file, unsigned depth) {
  return std::make_unique<RingReader>(file, depth);
}

}  // namespace mr::io
