#include "io/whole_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "io/chunk_reader.h"
#include "io/round_up.h"
#include "io/stripes.h"
#include "os/file.h"
#include "os/mapping.h"
#include "os/page_cache.h"

namespace mr::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr unsigned kPiecesUnderWay = 4;

// With pieces under way side by side.
void ReadDeep(const os::File& file, const IoSpec& spec, char* data, std::size_t size) {
  const bool direct = spec.direct || spec.mode == Mode::kDirect;
  std::optional<os::File> reopened;
  std::size_t unit = 1;
  if (direct) {
    reopened = file.ReopenDirect();
    unit = reopened->AlignmentForDirect().offset_bytes;
  }
  const os::File& source = reopened ? *reopened : file;
  const std::size_t chunk = RoundUp(
      spec.buffer_bytes == 0 ? kPieceBytes : static_cast<std::size_t>(spec.buffer_bytes), unit);
  const unsigned depth = spec.depth == 0 ? kPiecesUnderWay : spec.depth;
  const std::unique_ptr<ChunkReader> reader =
      spec.mode == Mode::kUring ? MakeRingReader(source, depth) : MakeThreadReader(source, depth);

  const std::size_t chunks = (size + chunk - 1) / chunk;
  const auto wanted = [&](std::size_t index) { return std::min(chunk, size - index * chunk); };
  const auto start = [&](std::size_t index) {
    ChunkRead read;
    read.buffer = data + index * chunk;
    read.bytes = RoundUp(wanted(index), unit);
    read.offset = index * chunk;
    reader->Start(static_cast<unsigned>(index % depth), read);
  };
  for (std::size_t index = 0; index < std::min<std::size_t>(depth, chunks); ++index) start(index);
  for (std::size_t index = 0; index < chunks; ++index) {
    const ChunkResult result = reader->Wait(static_cast<unsigned>(index % depth));
    if (result.error_number != 0) {
      throw os::IoError(file.name(), result.error_number, index * chunk);
    }
    // The kernel may stop early; the rest is fetched through the cache.
    std::size_t have = result.bytes;
    while (have < wanted(index)) {
      const std::size_t got =
          file.ReadAt(data + index * chunk + have, wanted(index) - have, index * chunk + have);
      if (got == 0) throw ShrankError(file.name(), index * chunk + have);
      have += got;
    }
    if (index + depth < chunks) start(index + depth);
  }
}

void ReadInOrder(const os::File& file, std::uint64_t piece_bytes, char* data, std::size_t size) {
  const std::size_t piece =
      piece_bytes == 0 ? size
                       : static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, size));
  for (std::size_t have = 0; have < size;) {
    const std::size_t got = file.ReadAt(data + have, std::min(piece, size - have), have);
    if (got == 0) throw ShrankError(file.name(), have);
    have += got;
  }
}

}  // namespace

class WholeFileLoader::Read final : public WholeFile {
 public:
  Read(WholeFileLoader& loader, const os::File& file, std::size_t size) : loader_(loader) {
    const bool deep = loader.spec_.mode != Mode::kRead;
    // Direct reads end on whole sectors.
    const std::size_t room = deep ? RoundUp(size, static_cast<std::size_t>(os::PageBytes())) : size;
    if (loader.allocation_ == Allocation::kPool) {
      pooled_ = loader.pool_.Take(room);
    } else {
      memory_.reset(static_cast<char*>(
          deep ? std::aligned_alloc(static_cast<std::size_t>(os::PageBytes()), room)
               : std::malloc(room)));
      if (!memory_) throw std::bad_alloc();
    }
    char* const data = pooled_ ? pooled_->data() : memory_.get();
    if (deep) {
      ReadDeep(file, loader.spec_, data, size);
    } else {
      ReadInOrder(file, loader.spec_.buffer_bytes, data, size);
    }
    bytes_ = std::string_view(data, size);
  }
  ~Read() override {
    if (pooled_) loader_.pool_.Return(std::move(*pooled_));
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  WholeFileLoader& loader_;
  std::optional<Buffer> pooled_;
  std::unique_ptr<char, Free> memory_;
};

class WholeFileLoader::Mapped final : public WholeFile {
 public:
  Mapped(const IoSpec& spec, const os::File& file, std::size_t size) : mapping_(file, 0, size) {
    if (spec.advice != Advice::kNone) mapping_.Advise(MadviseValue(spec.advice), 0, size);
    if (spec.populate) {
      const int error = mapping_.Populate(0, size);
      if (error != 0) throw os::IoError(file.name(), error);
    }
    bytes_ = std::string_view(mapping_.data(), size);
  }

 private:
  os::Mapping mapping_;
};

WholeFileLoader::WholeFileLoader(const IoSpec& spec, Allocation allocation)
    : spec_(spec), allocation_(allocation) {
  if (spec.mode == Mode::kAuto) throw IoSpecError("IO mode auto does not say how to read");
  if (spec.window_bytes != 0) throw IoSpecError("a whole file is not mapped in windows");
}

std::unique_ptr<WholeFile> WholeFileLoader::Load(const std::string& path) {
  const os::File file = os::File::Open(path, path, AT_FDCWD);
  const os::FileInfo info = file.Info();
  if (info.kind == os::FileKind::kDirectory) throw os::IoError(path, EISDIR);
  if (info.kind != os::FileKind::kRegular) throw os::IoError(path, "not a regular file");
  if (info.size_bytes == 0) throw os::IoError(path, "the file is empty");
  const auto size = static_cast<std::size_t>(info.size_bytes);
  if (spec_.mode == Mode::kMmap) return std::make_unique<Mapped>(spec_, file, size);
  return std::make_unique<Read>(*this, file, size);
}

}  // namespace mr::io
