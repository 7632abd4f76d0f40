#include "lab/data/checksum.h"

#define XXH_INLINE_ALL  // all of it is in the header: nothing to link with
#include <fmt/format.h>
#include <xxhash.h>

namespace mr::lab {

struct Checksum::State {
  XXH3_state_t xxh;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }

Checksum::~Checksum() = default;

void Checksum::Feed(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::string Checksum::Hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh));
  std::string hex;
  for (const unsigned char byte : canonical.digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace mr::lab
