#include "lab/studies/cost_passes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "io/chunk_reader.h"
#include "io/stripes.h"
#include "lab/studies/work.h"
#include "os/mapping.h"

namespace mr::lab {
namespace {

// The first byte of every page that begins in data, which stands at `offset` of the file.
void UsePages(const char* data, std::size_t size, std::uint64_t offset, PassCount& count) {
  const auto into = static_cast<std::size_t>(offset % kCostPageBytes);
  for (std::size_t at = into == 0 ? 0 : kCostPageBytes - into; at < size; at += kCostPageBytes) {
    count.sum += static_cast<unsigned char>(*static_cast<const volatile char*>(data + at));
    ++count.pages;
  }
}

std::uint64_t SumOf(std::string_view bytes) { return MakeWork(WorkKind::kSum, "")->Process(bytes); }

void UseBytes(const char* data, std::size_t size, std::uint64_t offset, Use use, PassCount& count) {
  if (use == Use::kPages) {
    UsePages(data, size, offset, count);
    return;
  }
  count.sum += SumOf(std::string_view(data, size));
  count.pages += (size + kCostPageBytes - 1) / kCostPageBytes;
}

}  // namespace

PassCount& PassCount::operator+=(const PassCount& other) {
  sum += other.sum;
  bytes += other.bytes;
  calls += other.calls;
  pages += other.pages;
  return *this;
}

PassCount ReadPass(const os::File& file, Range range, std::size_t step, std::size_t take,
                   std::span<char> buffer, Use use) {
  PassCount count;
  for (std::uint64_t at = range.begin; at < range.end; at += step) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(take, range.end - at));
    for (std::size_t have = 0; have < wanted;) {
      const std::size_t got = file.ReadAt(buffer.data() + have, wanted - have, at + have);
      if (got == 0) throw io::ShrankError(file.name(), at + have);
      have += got;
      ++count.calls;
    }
    UseBytes(buffer.data(), wanted, at, use, count);
    count.bytes += wanted;
  }
  return count;
}

PassCount MmapPass(const os::File& file, Range range, std::uint64_t call_bytes, Populate populate,
                   io::Advice advice, Use use, bool huge) {
  const std::uint64_t whole = (call_bytes + kCostPageBytes - 1) / kCostPageBytes * kCostPageBytes;
  PassCount count;
  for (std::uint64_t at = range.begin; at < range.end; at += whole) {
    const auto size = static_cast<std::size_t>(std::min(whole, range.end - at));
    const os::Mapping mapping(file, at, size, populate == Populate::kMapPopulate);
    ++count.calls;
    if (huge) mapping.Advise(MADV_HUGEPAGE, 0, size);
    if (advice != io::Advice::kNone) mapping.Advise(io::MadviseValue(advice), 0, size);
    if (populate == Populate::kMadvise) {
      const int error = mapping.Populate(0, size);
      if (error != 0) throw os::IoError(file.name(), error);
    }
    UseBytes(mapping.data(), size, at, use, count);
    if (use == Use::kEveryByte) count.bytes += size;
    if (mapping.FirstLost()) throw io::ShrankError(file.name(), at + *mapping.FirstLost());
  }
  return count;
}

PassCount DeepPass(const os::File& file, Range range, bool direct, unsigned depth,
                   std::span<char> buffer) {
  std::optional<os::File> reopened;
  if (direct) reopened = file.ReopenDirect();
  const os::File& source = reopened ? *reopened : file;
  const std::size_t chunk = buffer.size() / depth / kCostPageBytes * kCostPageBytes;
  const std::unique_ptr<io::ChunkReader> reader =
      direct ? io::MakeThreadReader(source, depth) : io::MakeRingReader(source, depth);

  const auto chunks = static_cast<std::size_t>((range.end - range.begin + chunk - 1) / chunk);
  const auto start = [&](std::size_t index) {
    io::ChunkRead read;
    read.buffer = buffer.data() + index % depth * chunk;
    read.bytes = chunk;  // direct reads must end on whole sectors, so beyond the range if need be
    read.offset = range.begin + index * chunk;
    reader->Start(static_cast<unsigned>(index % depth), read);
  };
  PassCount count;
  for (std::size_t index = 0; index < std::min<std::size_t>(depth, chunks); ++index) start(index);
  for (std::size_t index = 0; index < chunks; ++index) {
    const io::ChunkResult result = reader->Wait(static_cast<unsigned>(index % depth));
    const std::uint64_t at = range.begin + index * chunk;
    if (result.error_number != 0) throw os::IoError(file.name(), result.error_number, at);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, range.end - at));
    char* const data = buffer.data() + index % depth * chunk;
    std::size_t have = std::min(result.bytes, wanted);
    ++count.calls;
    while (have < wanted) {
      const std::size_t got = file.ReadAt(data + have, wanted - have, at + have);
      if (got == 0) throw io::ShrankError(file.name(), at + have);
      have += got;
      ++count.calls;
    }
    UsePages(data, wanted, at, count);
    count.bytes += wanted;
    if (index + depth < chunks) start(index + depth);
  }
  return count;
}

PassCount Parallel(Range range, unsigned threads,
                   const std::function<PassCount(Range, unsigned)>& pass) {
  const std::uint64_t pages = (range.end - range.begin + kCostPageBytes - 1) / kCostPageBytes;
  std::vector<PassCount> counts(threads);
  std::vector<std::exception_ptr> failures(threads);
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) {
      const Range part{
          .begin = range.begin + pages * i / threads * kCostPageBytes,
          .end = std::min(range.end, range.begin + pages * (i + 1) / threads * kCostPageBytes)};
      workers.emplace_back([&, part, i] {
        try {
          counts[i] = pass(part, i);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  PassCount total;
  for (unsigned i = 0; i < threads; ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    total += counts[i];
  }
  return total;
}

PassCount SumMemory(std::string_view memory) {
  return {.sum = SumOf(memory),
          .bytes = memory.size(),
          .calls = 0,
          .pages = (memory.size() + kCostPageBytes - 1) / kCostPageBytes};
}

PassCount CopyMemory(std::string_view memory, std::span<char> target) {
  PassCount count;
  for (std::size_t at = 0; at < memory.size(); at += target.size()) {
    const std::size_t size = std::min(target.size(), memory.size() - at);
    std::memcpy(target.data(), memory.data() + at, size);
    UsePages(target.data(), size, at, count);
    count.bytes += size;
  }
  return count;
}

}  // namespace mr::lab
