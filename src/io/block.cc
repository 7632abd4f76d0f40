#include "io/block.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "io/lines.h"

namespace mr::io {

std::optional<std::string_view> BlockLease::More() {
  const std::optional<std::string_view> piece = NextPiece();
  if (piece) piece_bytes_ += piece->size();
  return piece;
}

void BlockLease::Hold(const std::string& name) {
  if (block_.fragment.empty()) return;
  const std::size_t whole = block_.bytes.size();
  std::size_t have = 0;
  const auto append = [&](std::string_view more) {
    if (have + more.size() > held_->capacity()) {
      held_->Grow(std::max(have + more.size(), 2 * held_->capacity()));
    }
    std::memcpy(held_->data() + have, more.data(), more.size());
    have += more.size();
  };
  try {
    const std::size_t line = block_.fragment.size() + piece_bytes_;
    held_.emplace(whole + line);
    append(block_.bytes);
    if (piece_bytes_ == 0) {
      append(block_.fragment);
    } else {
      have += ReadAgain(held_->data() + have, line);
      if (have < whole + line)
        damage_.emplace(Damage{whole, ShrankError(name, block_.offset + have)});
    }
    while (const std::optional<std::string_view> more = More()) append(*more);
  } catch (const std::bad_alloc&) {
    damage_.emplace(Damage{whole, LineTooLongError(name)});
  } catch (const os::IoError& error) {
    damage_.emplace(Damage{whole, error});
  }
  block_.fragment = {};
  if (!damage_) block_.bytes = std::string_view(held_->data(), have);
}

}  // namespace mr::io
