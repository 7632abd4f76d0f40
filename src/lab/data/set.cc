// The work of `mrbench data`: chunk by chunk into a partial file, with everything that the sidecar
// claims measured on the bytes as they are written.
#include "lab/data/set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lab/data/checksum.h"
#include "lab/data/chunk.h"
#include "lab/data/file.h"
#include "lab/data/needles.h"
#include "lab/data/sidecar.h"
#include "os/error.h"
#include "os/file.h"

namespace mr::lab {
namespace {

constexpr std::uint64_t kNeedlePurpose = 0x200;  // see RandomStream; kinds and islands are others
constexpr std::size_t kMaxListedOffsets = 1000;
constexpr std::uint64_t kProgressBytes = std::uint64_t{16} << 20;

// Up to one needle in so many bytes, every chunk has lines enough for its share of them.
constexpr std::uint64_t kBytesPerNeedle = 4096;

class Reporter {
 public:
  explicit Reporter(const DataProgress& progress) : progress_(progress) {}

  void operator()(DataPhase phase, std::uint64_t done, std::uint64_t total) const {
    if (progress_ && !progress_(phase, done, total)) throw DataInterrupted("interrupted");
  }

 private:
  const DataProgress& progress_;
};

NeedlePlan MakePlan(const DataSpec& spec, ChunkMaker& maker, const Reporter& report) {
  const bool scarce = spec.kind == DataKind::kOneLine || spec.kind == DataKind::kSparse ||
                      spec.needles > spec.size_bytes / kBytesPerNeedle;
  if (spec.needles == 0 || !scarce) return NeedlePlan::ByBytes(spec.needles, spec.size_bytes);

  std::vector<std::uint32_t> counts;
  std::vector<Place> places;
  std::uint64_t total = 0;
  for (std::uint64_t chunk = 0; chunk < maker.chunks(); ++chunk) {
    if (maker.ChunkOffset(chunk) % kProgressBytes == 0) {
      report(DataPhase::kPlan, maker.ChunkOffset(chunk), spec.size_bytes);
    }
    if (maker.IsHole(chunk)) {
      places.clear();
    } else {
      maker.Make(chunk, spec.needle.size(), &places);
    }
    counts.push_back(static_cast<std::uint32_t>(places.size()));
    total += places.size();
  }
  if (spec.needles > total) {
    throw DataSpecError(
        fmt::format("{} needles are wanted, but {} lines of this {} data have room for '{}'",
                    spec.needles, total, DataKindName(spec.kind), spec.needle));
  }
  return NeedlePlan::ByLines(spec.needles, counts);
}

// Chunks as they are in the file: with their needles.
class PlantedChunks {
 public:
  PlantedChunks(const DataSpec& spec, const Reporter& report)
      : spec_(spec), maker_(spec), plan_(MakePlan(spec, maker_, report)) {}

  const ChunkMaker& maker() const { return maker_; }

  // Valid until the next call.
  std::span<const char> Make(std::uint64_t index) {
    offsets_.clear();
    const std::uint64_t count = plan_.CountIn(index);
    const std::span<char> chunk =
        maker_.Make(index, spec_.needle.size(), count > 0 ? &places_ : nullptr);
    if (count == 0) return chunk;
    if (count > places_.size()) {
      throw DataSpecError(
          fmt::format("{} of {} lines at offset {} of this {} data have room for "
                      "'{}', but {} should hold it",
                      places_.size(), std::count(chunk.begin(), chunk.end(), '\n'),
                      maker_.ChunkOffset(index), DataKindName(spec_.kind), spec_.needle, count));
    }
    offsets_ = PlantNeedles(chunk, places_, spec_.needle, count,
                            RandomStream(spec_.seed, kNeedlePurpose, index));
    return chunk;
  }

  // Of the needles in the chunk that was made last, relative to it.
  const std::vector<std::uint32_t>& offsets() const { return offsets_; }

 private:
  const DataSpec& spec_;
  ChunkMaker maker_;
  NeedlePlan plan_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> offsets_;
};

// Whether a few chunks of the file, the first and the last among them, are what they should be.
bool PassesSpotCheck(const DataSpec& spec, const std::string& data_path, const Reporter& report) {
  constexpr std::uint64_t kChecks = 8;
  PlantedChunks chunks(spec, report);
  const os::File file = os::File::Open(data_path, data_path, AT_FDCWD);
  std::vector<char> bytes(kChunkBytes);
  for (std::uint64_t check = 0; check < kChecks; ++check) {
    const std::uint64_t index = check * (chunks.maker().chunks() - 1) / (kChecks - 1);
    const std::span<const char> chunk = chunks.Make(index);
    const std::uint64_t offset = chunks.maker().ChunkOffset(index);
    std::size_t have = 0;
    while (have < chunk.size()) {
      const std::size_t n = file.ReadAt(bytes.data() + have, chunk.size() - have, offset + have);
      if (n == 0) return false;
      have += n;
    }
    if (!std::equal(chunk.begin(), chunk.end(), bytes.begin())) return false;
  }
  return true;
}

// The sidecar of the file that is to be made, if that is there already.
std::optional<DataSidecar> FindComplete(const DataSpec& spec, const std::string& data_path,
                                        const Reporter& report) {
  try {
    std::optional<DataSidecar> sidecar = ReadSidecar(data_path);
    if (sidecar && sidecar->spec == spec && sidecar->generator_version == kGeneratorVersion &&
        PassesSpotCheck(spec, data_path, report)) {
      return sidecar;
    }
  } catch (const os::IoError&) {
    // Whatever is wrong with it, it is not complete.
  }
  return std::nullopt;
}

// Throws when something is at `data_path` that must not be replaced.
void RequireReplaceable(const std::string& data_path, bool force) {
  if (data_path.empty() || data_path.back() == '/') {
    throw os::IoError(data_path, "not the name of a file");
  }
  struct stat info {};
  if (::lstat(data_path.c_str(), &info) != 0) {
    if (errno == ENOENT) return;
    throw os::IoError(data_path, errno);
  }
  if (!S_ISREG(info.st_mode)) throw os::IoError(data_path, "exists and is not a regular file");
  if (force || ::access(SidecarPath(data_path).c_str(), F_OK) == 0) return;
  throw os::IoError(data_path, "exists and was not made by mrbench data (--force replaces it)");
}

void Remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw os::IoError(path, errno);
}

// Writes all chunks to `file` and describes them.
DataSidecar WriteChunks(const DataSpec& spec, PlantedChunks& chunks, PartialFile& file,
                        const Reporter& report) {
  DataSidecar sidecar;
  sidecar.spec = spec;
  sidecar.generator_version = kGeneratorVersion;
  sidecar.program_version = MRGREP_VERSION;

  Checksum checksum;
  NeedleCounter counter(spec.needle);
  std::uint64_t planted = 0;
  const ChunkMaker& maker = chunks.maker();
  for (std::uint64_t index = 0; index < maker.chunks(); ++index) {
    const std::uint64_t offset = maker.ChunkOffset(index);
    if (offset % kProgressBytes == 0) {
      report(DataPhase::kGenerate, offset, spec.size_bytes);
      if (offset > 0) file.StartWriteback(offset - kProgressBytes, kProgressBytes);
    }
    const std::span<const char> chunk = chunks.Make(index);
    const std::string_view bytes(chunk.data(), chunk.size());
    checksum.Feed(bytes);
    counter.Feed(bytes);
    planted += chunks.offsets().size();
    for (const std::uint32_t at : chunks.offsets()) {
      if (sidecar.needle_offsets.size() == kMaxListedOffsets) break;
      sidecar.needle_offsets.push_back(offset + at);
    }
    if (counter.lines_with_needle() != planted) {
      throw DataSpecError(
          fmt::format("'{}' occurs in this {} data by itself, so that it cannot be the needle",
                      spec.needle, DataKindName(spec.kind)));
    }
    if (!maker.IsHole(index)) file.Write(chunk, offset);
  }
  file.SetSize(spec.size_bytes);
  sidecar.lines = counter.newlines();
  sidecar.checksum = checksum.Hex();
  return sidecar;
}

}  // namespace

DataOutcome GenerateData(const DataSpec& spec, const std::string& data_path, bool force,
                         const DataProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const Reporter report(progress);
  RequireReplaceable(data_path, force);
  DataOutcome outcome;
  if (!force) {
    if (auto complete = FindComplete(spec, data_path, report)) {
      outcome.sidecar = *std::move(complete);
      return outcome;
    }
  }

  PartialFile data(data_path);
  PartialFile sidecar(SidecarPath(data_path));
  const Clock::time_point start = Clock::now();
  PlantedChunks chunks(spec, report);
  data.RequireRoom(chunks.maker().bytes_outside_holes());
  outcome.sidecar = WriteChunks(spec, chunks, data, report);
  const Clock::time_point written = Clock::now();
  data.Sync(spec.size_bytes,
            [&](std::uint64_t done) { report(DataPhase::kSync, done, spec.size_bytes); });
  const std::string text = FormatSidecar(outcome.sidecar);
  sidecar.Write(text, 0);
  sidecar.Sync(text.size(), [](std::uint64_t) {});

  // At no time does a data file stand beside a sidecar that is not its own.
  Remove(data_path);
  SyncDirectoryOf(data_path);
  sidecar.Publish();
  SyncDirectoryOf(data_path);
  data.Publish();
  SyncDirectoryOf(data_path);
  outcome.generated = true;
  outcome.write_time = written - start;
  outcome.sync_time = Clock::now() - written;
  return outcome;
}

std::vector<std::string> VerifyData(const std::string& data_path, const DataProgress& progress) {
  const Reporter report(progress);
  const std::optional<DataSidecar> sidecar = ReadSidecar(data_path);
  if (!sidecar) throw os::IoError(data_path, "has no sidecar " + SidecarPath(data_path));
  const DataSpec& spec = sidecar->spec;

  const os::File file = os::File::Open(data_path, data_path, AT_FDCWD);
  Checksum checksum;
  NeedleCounter counter(spec.needle);
  std::vector<char> buffer(kChunkBytes);
  std::uint64_t offset = 0;
  while (const std::size_t n = file.ReadAt(buffer.data(), buffer.size(), offset)) {
    if (offset % kProgressBytes < n) report(DataPhase::kVerify, offset, spec.size_bytes);
    checksum.Feed({buffer.data(), n});
    counter.Feed({buffer.data(), n});
    offset += n;
  }

  std::vector<std::string> findings;
  const auto compare = [&](std::string_view what, const auto& found, const auto& expected) {
    if (found != expected) {
      findings.push_back(fmt::format("{}: {} {} instead of {}", data_path, what, found, expected));
    }
  };
  compare("size in bytes", offset, spec.size_bytes);
  compare("XXH128 checksum", checksum.Hex(), sidecar->checksum);
  compare("newlines", counter.newlines(), sidecar->lines);
  compare("lines with the needle", counter.lines_with_needle(), spec.needles);
  std::string found(spec.needle.size(), '\0');
  for (const std::uint64_t at : sidecar->needle_offsets) {
    if (file.ReadAt(found.data(), found.size(), at) != found.size() || found != spec.needle) {
      findings.push_back(fmt::format("{}: no needle at offset {}", data_path, at));
    }
  }
  return findings;
}

}  // namespace mr::lab
