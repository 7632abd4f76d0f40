// The cells of the cost study, and how each is measured.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>

#include "io/buffer_pool.h"
#include "io/size.h"
#include "lab/data/copy.h"
#include "lab/studies/cost.h"
#include "lab/studies/cost_passes.h"
#include "lab/studies/memory_file.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/own_usage.h"
#include "os/page_cache.h"

namespace mr::lab {
namespace {

constexpr std::size_t kUsualBuffer = std::size_t{64} << 10;
constexpr std::size_t kLargestBuffer = std::size_t{64} << 20;
constexpr unsigned kDeepDepth = 4;
constexpr std::size_t kDeepChunk = std::size_t{1} << 20;
constexpr std::uint64_t kWhole = std::uint64_t{1} << 62;  // one mapping of everything
constexpr std::uint64_t kAdvisedCall = 100'000'000;

// Which sum a pass must arrive at.
enum class TrueSum { kPages, kBytes, kPartPages, kPartBytes };

class Cost final : public Study {
 public:
  explicit Cost(const CostPlan& plan)
      : plan_(plan),
        whole_{.begin = 0, .end = plan.bytes},
        part_{.begin = 0, .end = plan.part_bytes} {
    AddReads();
    AddMmaps();
    AddMemory();
    AddOthers();
    AddMemoryFiles();
    AddHistories();
  }

  std::vector<std::string> Cells() const override {
    std::vector<std::string> names;
    for (const Cell& cell : cells_) names.push_back(cell.name);
    return names;
  }

  void Prepare(ProgressLine& progress) override {
    file_.emplace(os::File::Open(plan_.file, plan_.file, AT_FDCWD));
    if (file_->Info().size_bytes < plan_.bytes) {
      throw os::IoError(plan_.file, "is shorter than when the log was begun");
    }
    progress.Show("copying the file once, so that the first cell does not pay for the cache");
    memory_.emplace(static_cast<std::size_t>(plan_.part_bytes));
    far_memory_.emplace(static_cast<std::size_t>(plan_.part_bytes));
    // Whoever first uses a part of the buffer would pay for its pages.
    std::fill_n(buffer_.data(), kLargestBuffer, 'x');
    const std::span<char> buffer(buffer_.data(), kDeepChunk);
    truths_[TrueSum::kPages] =
        ReadPass(*file_, whole_, kDeepChunk, kDeepChunk, buffer, Use::kPages).sum;
    truths_[TrueSum::kBytes] =
        ReadPass(*file_, whole_, kDeepChunk, kDeepChunk, buffer, Use::kEveryByte).sum;
    MakeCopy();
    for (std::size_t have = 0; have < plan_.part_bytes;) {
      const std::size_t got = file_->ReadAt(memory_->data() + have, plan_.part_bytes - have, have);
      if (got == 0) throw os::IoError(plan_.file, "is shorter than when the log was begun");
      have += got;
    }
    truths_[TrueSum::kPartPages] =
        CopyMemory(Memory(), {far_memory_->data(), plan_.part_bytes}).sum;
    truths_[TrueSum::kPartBytes] = SumMemory(Memory()).sum;
    for (const MemoryFileKind kind :
         {MemoryFileKind::kTmpfs, MemoryFileKind::kTmpfsHuge, MemoryFileKind::kMemfd,
          MemoryFileKind::kMemfdHuge, MemoryFileKind::kMemfdHugetlb}) {
      const std::string name(MemoryFileName(kind));
      if (plan_.unavailable.contains(name)) continue;
      progress.Show("making a file in memory: " + name);
      memory_files_.emplace(kind, MemoryFile(kind, *file_, plan_.part_bytes));
    }
  }

  Figures Measure(std::size_t index) override {
    const Cell& cell = cells_[index];
    if (cell.before) cell.before();
    const os::OwnUsage before = os::MeasureOwnUsage();
    const PassCount count = cell.pass();
    const os::OwnUsage used = os::MeasureOwnUsage() - before;
    if (cell.truth && count.sum != truths_.at(*cell.truth)) {
      throw os::IoError(plan_.file, "the pass did not see the bytes that are there");
    }
    if (cell.cached && used.disk_bytes > 0) {
      throw os::IoError(plan_.file, fmt::format("{} bytes came from the disk", used.disk_bytes));
    }
    Figures figures = UsageFigures(used);
    figures["span_bytes"] = static_cast<double>(cell.span_bytes);
    figures["moved_bytes"] = static_cast<double>(count.bytes);
    figures["calls"] = static_cast<double>(count.calls);
    figures["pages"] = static_cast<double>(count.pages);
    return figures;
  }

 private:
  struct Cell {
    std::string name;
    std::function<PassCount()> pass;
    std::uint64_t span_bytes = 0;  // of the data that the pass goes over
    std::optional<TrueSum> truth;
    bool cached = true;            // must not touch the disk
    std::function<void()> before;  // what must be so, or be brought about, first
  };

  void Add(std::string name, std::function<PassCount()> pass, TrueSum truth = TrueSum::kPages) {
    cells_.push_back({.name = std::move(name),
                      .pass = std::move(pass),
                      .span_bytes = plan_.bytes,
                      .truth = truth,
                      .cached = true,
                      .before = [this] { RequireCached(); }});
  }
  void AddPart(std::string name, std::function<PassCount()> pass, TrueSum truth,
               std::function<void()> before = nullptr) {
    cells_.push_back({.name = std::move(name),
                      .pass = std::move(pass),
                      .span_bytes = plan_.part_bytes,
                      .truth = truth,
                      .cached = true,
                      .before = std::move(before)});
  }

  PassCount Read(const os::File& file, Range range, std::size_t step, std::size_t take,
                 Use use = Use::kPages) {
    return ReadPass(file, range, step, take, {buffer_.data(), take}, use);
  }
  PassCount Map(std::uint64_t call_bytes, Populate populate, io::Advice advice = io::Advice::kNone,
                Use use = Use::kPages) {
    return MmapPass(*file_, whole_, call_bytes, populate, advice, use);
  }

  void AddReads() {
    for (const std::uint64_t bytes : kReadBuffers) {
      const auto size = static_cast<std::size_t>(bytes);
      Add(ReadCell(bytes), [this, size] { return Read(*file_, whole_, size, size); });
    }
    Add(std::string(kReadSmallCell), [this] { return Read(*file_, whole_, 512, 512); });
    Add(std::string(kReadQuarterCell), [this] { return Read(*file_, whole_, 4096, 1024); });
    Add(
        std::string(kReadSumCell),
        [this] { return Read(*file_, whole_, kUsualBuffer, kUsualBuffer, Use::kEveryByte); },
        TrueSum::kBytes);
  }

  void AddMmaps() {
    for (const std::uint64_t call : kMmapCalls) {
      Add(MmapCell(call, ""), [this, call] { return Map(call, Populate::kNo); });
      Add(MmapCell(call, "MAP_POPULATE"),
          [this, call] { return Map(call, Populate::kMapPopulate); });
      Add(MmapCell(call, "MADV_POPULATE_READ"),
          [this, call] { return Map(call, Populate::kMadvise); });
    }
    for (const auto& [name, advice] :
         {std::pair{"sequential", io::Advice::kSequential},
          std::pair{"random", io::Advice::kRandom}, std::pair{"willneed", io::Advice::kWillNeed}}) {
      Add(MmapCell(kAdvisedCall, name),
          [this, advice = advice] { return Map(kAdvisedCall, Populate::kNo, advice); });
    }
    for (const auto& [name, call] : {std::pair{kMmapSmallSumCell, std::uint64_t{1'000'000}},
                                     std::pair{kMmapSumCell, kAdvisedCall}}) {
      Add(
          std::string(name),
          [this, call = call] {
            return Map(call, Populate::kNo, io::Advice::kNone, Use::kEveryByte);
          },
          TrueSum::kBytes);
    }
  }

  std::string_view Memory() const {
    return {memory_->data(), static_cast<std::size_t>(plan_.part_bytes)};
  }

  void AddMemory() {
    AddPart(
        std::string(kMemorySumCell), [this] { return SumMemory(Memory()); }, TrueSum::kPartBytes);
    AddPart(
        std::string(kMemcpyCell),
        [this] {
          return CopyMemory(Memory(), {buffer_.data(), kUsualBuffer});
        },
        TrueSum::kPartPages);
    AddPart(
        std::string(kMemcpyFarCell),
        [this] {
          return CopyMemory(Memory(),
                            {far_memory_->data(), static_cast<std::size_t>(plan_.part_bytes)});
        },
        TrueSum::kPartPages);
  }

  void AddOthers() {
    if (plan_.threads > 1) {
      const std::string threads = fmt::format("{} threads", plan_.threads);
      Add("read 64K, " + threads, [this] {
        return Parallel(whole_, plan_.threads, [this](Range range, unsigned worker) {
          return ReadPass(*file_, range, kUsualBuffer, kUsualBuffer,
                          {buffer_.data() + worker * kUsualBuffer, kUsualBuffer}, Use::kPages);
        });
      });
      Add("mmap whole, " + threads, [this] {
        return Parallel(whole_, plan_.threads, [this](Range range, unsigned) {
          return MmapPass(*file_, range, kWhole, Populate::kNo, io::Advice::kNone, Use::kPages);
        });
      });
    }
    const auto deep = [this](bool direct) {
      return DeepPass(*file_, whole_, direct, kDeepDepth,
                      {buffer_.data(), kDeepDepth * kDeepChunk});
    };
    if (!plan_.unavailable.contains("uring")) {
      Add("uring 1M, depth 4", [deep] { return deep(false); });
    }
    if (!plan_.unavailable.contains("direct")) {
      Add("direct 1M, depth 4", [deep] { return deep(true); });
      cells_.back().cached = false;
    }
  }

  void AddMemoryFiles() {
    for (const MemoryFileKind kind :
         {MemoryFileKind::kTmpfs, MemoryFileKind::kTmpfsHuge, MemoryFileKind::kMemfd,
          MemoryFileKind::kMemfdHuge, MemoryFileKind::kMemfdHugetlb}) {
      const std::string name(MemoryFileName(kind));
      if (plan_.unavailable.contains(name)) continue;
      const std::optional<TrueSum> truth = kind == MemoryFileKind::kMemfdHugetlb
                                               ? std::nullopt  // holds whole huge pages only
                                               : std::optional(TrueSum::kPartPages);
      const auto range = [this, kind] {
        return Range{.begin = 0, .end = memory_files_.at(kind).size_bytes()};
      };
      AddPart(
          name + ": read 64K",
          [this, kind, range] {
            return Read(memory_files_.at(kind).file(), range(), kUsualBuffer, kUsualBuffer);
          },
          TrueSum::kPartPages);
      cells_.back().truth = truth;
      AddPart(
          name + ": mmap whole",
          [this, kind, range] {
            const MemoryFile& file = memory_files_.at(kind);
            return MmapPass(file.file(), range(), kWhole, Populate::kNo, io::Advice::kNone,
                            Use::kPages, file.wants_huge());
          },
          TrueSum::kPartPages);
      cells_.back().truth = truth;
    }
  }

  void AddHistories() {
    for (const History history :
         {History::kRead32K, History::kRead1M, History::kMmap, History::kOrder0}) {
      const auto before = [this, history] { CacheCopy(history); };
      AddPart(
          HistoryCell(history, "read 64K"),
          [this] { return Read(*copy_, part_, kUsualBuffer, kUsualBuffer); }, TrueSum::kPartPages,
          before);
      AddPart(
          HistoryCell(history, "mmap whole"),
          [this] {
            return MmapPass(*copy_, part_, kWhole, Populate::kNo, io::Advice::kNone, Use::kPages);
          },
          TrueSum::kPartPages, before);
    }
  }

  // The kernel may have taken pages away since the last trial: they are brought back and looked for
  // again.
  void RequireCached() {
    if (MissingPages() == 0) return;
    Read(*file_, whole_, kDeepChunk, kDeepChunk);
    if (const std::uint64_t missing = MissingPages()) {
      throw os::IoError(plan_.file, fmt::format("{} pages do not stay in the page cache", missing));
    }
  }
  std::uint64_t MissingPages() const {
    const os::Residency residency = os::MeasureResidency(file_->fd(), plan_.file, 0, plan_.bytes);
    if (!residency.resident_pages) {
      throw os::IoError(plan_.file, "cannot see how much of it is in the page cache (" +
                                        residency.why_unknown + ")");
    }
    return residency.total_pages - *residency.resident_pages;
  }

  // A part of the file that may be thrown out of the cache without harm to others.
  void MakeCopy() {
    std::string path = plan_.directory + "/mrbench-cost.XXXXXX";
    copy_target_ = os::Descriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!copy_target_) throw os::IoError(plan_.directory, errno);
    // Without a name it cannot be left behind; it is opened again by its descriptor.
    ::unlink(path.c_str());
    copy_path_ = fmt::format("/proc/self/fd/{}", copy_target_.get());
    copy_name_ = path;
    if (CopyBytes(*file_, plan_.part_bytes, copy_target_.get(), path) < plan_.part_bytes) {
      throw os::IoError(plan_.file, "is shorter than when the log was begun");
    }
    if (::fsync(copy_target_.get()) != 0) throw os::IoError(path, errno);
  }

  // Evicts the copy and brings it back in.
  void CacheCopy(History history) {
    copy_.reset();
    const os::Eviction eviction = os::Evict(copy_path_);
    if (!eviction.verified_empty()) {
      throw os::IoError(
          copy_name_, "could not be evicted from the page cache" +
                          (eviction.why_unknown.empty() ? "" : " (" + eviction.why_unknown + ")"));
    }
    {
      const os::File file = os::File::Open(copy_path_, copy_name_, AT_FDCWD);
      switch (history) {
        case History::kRead32K:
          Read(file, part_, 32 * 1024, 32 * 1024);
          break;
        case History::kRead1M:
          Read(file, part_, kDeepChunk, kDeepChunk);
          break;
        case History::kMmap:
          MmapPass(file, part_, kWhole, Populate::kNo, io::Advice::kNone, Use::kPages);
          break;
        case History::kOrder0:
          // No read-ahead for this descriptor: every read brings in the page it asks for.
          file.Advise(POSIX_FADV_RANDOM, 0, 0);
          Read(file, part_, kCostPageBytes, kCostPageBytes);
          break;
      }
    }
    copy_.emplace(os::File::Open(copy_path_, copy_name_, AT_FDCWD));
    const os::Residency residency = os::MeasureResidency(copy_->fd(), copy_path_);
    if (residency.resident_pages != residency.total_pages) {
      throw os::IoError(copy_name_, "could not be brought into the page cache");
    }
  }

  const CostPlan plan_;
  const Range whole_;
  const Range part_;
  std::vector<Cell> cells_;
  std::map<TrueSum, std::uint64_t> truths_;
  std::optional<os::File> file_;
  io::Buffer buffer_{kLargestBuffer};
  std::optional<io::Buffer> memory_;
  std::optional<io::Buffer> far_memory_;
  std::map<MemoryFileKind, MemoryFile> memory_files_;
  os::Descriptor copy_target_;
  std::string copy_path_;
  std::string copy_name_;  // in messages
  std::optional<os::File> copy_;
};

}  // namespace

std::unique_ptr<Study> MakeCost(const CostPlan& plan) { return std::make_unique<Cost>(plan); }

}  // namespace mr::lab
