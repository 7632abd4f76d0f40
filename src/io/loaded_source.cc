#include "io/loaded_source.h"

#include <optional>
#include <utility>

namespace mr::io {
namespace {

// Where a file becomes unreadable, a read may just be short, and only the next one fails. Then it
// ends with a page, or where memory is the disk, with a cache line; files seldom do.
constexpr std::size_t kErrorUnitBytes = 64;

class WholeLease final : public BlockLease {
 public:
  explicit WholeLease(std::string_view bytes) {
    block_.bytes = bytes;
    block_.last = true;
  }
  bool NulFollows(std::uint64_t) override { return false; }
  std::optional<Damage> CheckDamage() override { return std::nullopt; }
};

}  // namespace

LoadedSource::LoadedSource(Buffer buffer, std::size_t bytes, BufferPool& pool)
    : buffer_(std::move(buffer)), bytes_(bytes), pool_(pool) {}

LoadedSource::~LoadedSource() { pool_.Return(std::move(buffer_)); }

std::unique_ptr<BlockLease> LoadedSource::Next() {
  if (given_out_.exchange(true)) return nullptr;
  return std::make_unique<WholeLease>(std::string_view(buffer_.data(), bytes_));
}

std::unique_ptr<LoadedSource> LoadWhole(const os::File& file, std::size_t most, BufferPool& pool) {
  Buffer buffer = pool.Take(most);
  try {
    const std::size_t got = file.ReadAt(buffer.data(), most, 0);
    const bool ends = got < most && (got % kErrorUnitBytes != 0 ||
                                     file.ReadAt(buffer.data() + got, most - got, got) == 0);
    if (ends) return std::make_unique<LoadedSource>(std::move(buffer), got, pool);
  } catch (const os::IoError&) {
    // Whoever asks for more about the file gets the message.
  }
  pool.Return(std::move(buffer));
  return nullptr;
}

}  // namespace mr::io
