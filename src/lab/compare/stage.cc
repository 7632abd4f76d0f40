#include "lab/compare/stage.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "os/file.h"
#include "os/mount.h"
#include "os/nfs_statistics.h"

namespace mr::lab {
namespace {

constexpr std::size_t kMapPieces = 64;
constexpr std::size_t kLoadBytes = std::size_t{1} << 20;

// All of it from front to back in large pieces, so that every warm start is reached in the same
// way.
void Load(const std::string& path) {
  os::File file = os::File::Open(path, path, AT_FDCWD);
  std::string buffer(kLoadBytes, '\0');
  while (file.Read(buffer.data(), buffer.size()) != 0) {
  }
}

CacheState LookAt(const std::vector<std::string>& files) {
  CacheState state;
  state.resident_pages = 0;
  for (const std::string& file : files) {
    const os::Residency residency = os::MeasureResidency(file);
    state.total_pages += residency.total_pages;
    if (!residency.resident_pages) {
      state.resident_pages.reset();
    } else if (state.resident_pages) {
      *state.resident_pages += *residency.resident_pages;
    }
  }
  if (files.size() == 1) {
    state.resident_map = os::MapResidency(files.front(), kMapPieces).resident_pages;
  }
  return state;
}

// What stayed, in words; empty when nothing did.
std::string EvictFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const os::Eviction eviction = os::Evict(file);
    if (eviction.verified_empty()) continue;
    if (!eviction.pages_left) {
      return fmt::format("{}: cannot see what is in the page cache: {}", file,
                         eviction.why_unknown);
    }
    return fmt::format("{}: {} of {} pages stayed in the page cache", file, *eviction.pages_left,
                       eviction.total_pages);
  }
  return "";
}

}  // namespace

PlaceStage::PlaceStage(const ComparePlan& plan, const DataInventory& inventory, int place)
    : plan_(plan),
      inventory_(inventory),
      place_(plan.places[place]),
      files_(FilePaths(inventory, place_.data)) {
  if (const auto mount = os::FindMount(place_.data)) mount_point_ = mount->point;
}

// The place's own cache first: what it gives up may be written to the backing.
std::string PlaceStage::EvictAll() const {
  for (const ComparePlace& place : plan_.places) {
    if (LivesInMemory(place.type)) continue;
    std::string stayed = EvictFiles(FilePaths(inventory_, place.data));
    if (stayed.empty() && !place.backing.empty()) {
      stayed = EvictFiles(FilePaths(inventory_, place.backing));
    }
    if (!stayed.empty()) return stayed;
  }
  return "";
}

std::string PlaceStage::Prepare(CacheStart start) {
  try {
    if (std::string stayed = EvictAll(); !stayed.empty()) return stayed;
    if (start == CacheStart::kCold) return "";
    for (const std::string& file : files_) Load(file);
    const CacheState state = LookAtCache();
    if (IsAt(start, state)) return "";
    if (!state.resident_pages) return "cannot see what is in the page cache";
    return fmt::format("{} of {} pages were in the page cache after reading all of it",
                       *state.resident_pages, state.total_pages);
  } catch (const os::IoError& error) {
    return error.what();
  }
}

std::uint64_t PlaceStage::total_pages() const {
  std::uint64_t pages = 0;
  for (const DataInventory::File& file : inventory_.files) pages += os::PagesIn(file.bytes);
  return pages;
}

bool PlaceStage::IsAt(CacheStart start, const CacheState& state) {
  return state.resident_pages == (start == CacheStart::kCold ? 0 : state.total_pages);
}

os::Eviction PlaceStage::Evict() {
  os::Eviction all;
  all.pages_before = 0;
  all.pages_left = 0;
  const auto add = [](std::optional<std::uint64_t>& sum, const auto& part) {
    if (!part) sum.reset();
    if (sum) *sum += *part;
  };
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const os::Eviction one = os::Evict(files_[i]);
    if (one.total_pages != os::PagesIn(inventory_.files[i].bytes)) {
      throw os::IoError(files_[i], "has changed its size since it was copied");
    }
    add(all.pages_before, one.pages_before);
    add(all.pages_left, one.pages_left);
    all.wrote_back = all.wrote_back || one.wrote_back;
    if (!one.why_unknown.empty()) all.why_unknown = one.why_unknown;
  }
  // As if it were one file: whoever asks compares with the size of all.
  all.total_pages = os::PagesIn(plan_.data_bytes);
  if (!place_.backing.empty()) {
    const std::string stayed = EvictFiles(FilePaths(inventory_, place_.backing));
    if (!stayed.empty()) throw os::IoError(place_.backing, "behind the place: " + stayed);
  }
  return all;
}

CacheState PlaceStage::LookAtCache() { return LookAt(files_); }

std::optional<CacheState> PlaceStage::LookAtBacking() const {
  if (place_.backing.empty()) return std::nullopt;
  return LookAt(FilePaths(inventory_, place_.backing));
}

CounterState PlaceStage::ReadCounters() {
  return {.vmstat = os::ReadVmstat(),
          .pressure = os::ReadPressure(),
          .group = {},
          .cpu = os::ReadCpuTimes()};
}

os::ProcessResult PlaceStage::RunLimited(os::Command command) {
  const auto before = os::ReadNfsStatistics(mount_point_);
  os::ProcessResult result = os::Run(command);
  const auto after = os::ReadNfsStatistics(mount_point_);
  nfs_.reset();
  if (before && after) nfs_ = os::Difference(*after, *before);
  return result;
}

os::ProcessResult PlaceStage::RunFree(const os::Command& command) { return os::Run(command); }

bool IsServedFrom(const std::string& file_at_place, const std::string& file_at_backing) {
  if (!os::Evict(file_at_place).verified_empty()) {
    throw os::IoError(file_at_place, "stays in the page cache");
  }
  if (!os::Evict(file_at_backing).verified_empty()) {
    throw os::IoError(file_at_backing, "stays in the page cache");
  }
  Load(file_at_place);
  return os::MeasureResidency(file_at_backing).resident_pages.value_or(0) > 0;
}

bool LivesInMemory(const std::string& file_system_type) {
  static constexpr std::array<std::string_view, 4> kTypes = {"tmpfs", "ramfs", "hugetlbfs",
                                                             "devtmpfs"};
  return std::find(kTypes.begin(), kTypes.end(), file_system_type) != kTypes.end();
}

bool HasCacheBehind(const std::string& file_system_type) {
  static constexpr std::array<std::string_view, 8> kTypes = {"nfs",  "nfs4", "cifs", "smb3",
                                                             "ceph", "9p",   "afs",  "virtiofs"};
  return file_system_type.starts_with("fuse") ||
         std::find(kTypes.begin(), kTypes.end(), file_system_type) != kTypes.end();
}

}  // namespace mr::lab
