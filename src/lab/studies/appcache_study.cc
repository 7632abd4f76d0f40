// The cells of appcache, and how each is measured.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>

#include "io/application_cache.h"
#include "io/buffer_pool.h"
#include "io/size.h"
#include "lab/data/set.h"
#include "lab/studies/appcache.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/file.h"
#include "os/mapping.h"
#include "os/own_usage.h"

namespace mr::lab {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr int kMostAttempts = 3;
constexpr std::array kPatterns = {AccessPattern::kCyclic, AccessPattern::kRandom,
                                  AccessPattern::kSkewed};

// What a pass over all files did, to be compared with what it should have done.
struct Pass {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;
  std::uint64_t lines = 0;  // found, in searches
};

class Appcache final : public Study {
 public:
  explicit Appcache(const AppcachePlan& plan)
      : plan_(plan), work_(MakeWork(WorkKind::kSearch, plan.pattern)), search_(*work_) {
    const auto add = [this](std::string_view name, std::function<Figures()> measure) {
      names_.emplace_back(name);
      measures_.push_back(std::move(measure));
    };
    const auto add_pass = [&](std::string_view name, Pass (Appcache::*pass)()) {
      add(name, [this, pass, searches = name.starts_with("search")] {
        return MeasurePass(pass, searches);
      });
    };
    add_pass(kKernelCell, &Appcache::KernelPass);
    add_pass(kApplicationCell, &Appcache::ApplicationPass);
    add_pass(kMmapCell, &Appcache::MmapPass);
    add_pass(kCopyCell, &Appcache::CopyPass);
    add_pass(kMmapCopyCell, &Appcache::MmapCopyPass);
    add_pass(kSearchKernelCell, &Appcache::SearchKernelPass);
    add_pass(kSearchApplicationCell, &Appcache::SearchApplicationPass);
    add_pass(kSearchMmapCell, &Appcache::SearchMmapPass);
    add(kLoadCell, [this] { return MeasureLoad(); });
    for (const double share : plan.short_shares) {
      for (const AccessPattern pattern : kPatterns) {
        add(ShortCell(share, pattern),
            [this, share, pattern] { return MeasureShort(share, pattern); });
      }
    }
  }

  std::vector<std::string> Cells() const override { return names_; }

  void Prepare(ProgressLine& progress) override {
    files_ = ListTree(plan_.directory);
    const std::uint64_t bytes = TotalBytes();
    if (files_.size() != plan_.files || bytes != plan_.bytes) {
      throw os::IoError(plan_.directory, "holds other files than when the log was begun");
    }
    if (bytes > AvailableMemoryBytes() / 2) {
      throw os::IoError(plan_.directory,
                        fmt::format("holds {} bytes, more than half of the memory: it would not "
                                    "fit into both caches",
                                    bytes));
    }
    progress.Show("loading the tree into both caches");
    Load();
    // The truth about the search, and the first look at every file.
    expected_lines_ = SearchKernelPass().lines;
  }

  // Both caches are warm in this study: whatever comes from the disk spoils a measurement. What it
  // brought in is warm the next time.
  Figures Measure(std::size_t cell) override {
    for (int attempt = 1;; ++attempt) {
      Figures figures = measures_[cell]();
      figures["attempts"] = attempt;
      const double disk_bytes = figures.at("disk_bytes");
      if (disk_bytes == 0) return figures;
      if (attempt == kMostAttempts) {
        throw os::IoError(plan_.directory, fmt::format("{} bytes came from the disk, after {} "
                                                       "attempts",
                                                       disk_bytes, attempt));
      }
    }
  }

 private:
  std::uint64_t TotalBytes() const {
    return std::accumulate(
        files_.begin(), files_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const TreeFile& file) { return sum + file.size_bytes; });
  }

  Figures MeasurePass(Pass (Appcache::*run)(), bool searches) {
    const os::OwnUsage before = os::MeasureOwnUsage();
    const Pass pass = (this->*run)();
    Figures figures = UsageFigures(os::MeasureOwnUsage() - before);
    if (pass.files != plan_.files || pass.bytes != plan_.bytes) {
      throw os::IoError(plan_.directory, "the files have changed since the study began");
    }
    if (searches && pass.lines != expected_lines_) {
      throw os::IoError(plan_.directory, "the search found other lines than before");
    }
    figures["files"] = static_cast<double>(pass.files);
    figures["bytes"] = static_cast<double>(pass.bytes);
    figures["opens"] = static_cast<double>(pass.opens);
    figures["closes"] = static_cast<double>(pass.closes);
    if (searches) figures["lines"] = static_cast<double>(pass.lines);
    return figures;
  }

  // Opens every file, hands its contents over in pieces of at most the buffer's size, closes it.
  template <typename Take>
  Pass ReadAll(Take take) {
    Pass pass;
    for (const TreeFile& file : files_) {
      os::Descriptor fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd) throw os::IoError(file.path, errno);
      ++pass.opens;
      std::uint64_t size = 0;
      while (true) {
        const ssize_t got = ::read(fd.get(), buffer_.data(), kBufferBytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw os::IoError(file.path, errno, size);
        if (got > 0) take(std::string_view(buffer_.data(), static_cast<std::size_t>(got)));
        size += static_cast<std::uint64_t>(got);
        // A short read of a regular file has reached its end.
        if (static_cast<std::size_t>(got) < kBufferBytes) break;
      }
      fd.Close();
      ++pass.closes;
      ++pass.files;
      pass.bytes += size;
      pass.lines += search_.Finish();
    }
    return pass;
  }

  Pass KernelPass() {
    return ReadAll([](std::string_view) {});
  }
  Pass SearchKernelPass() {
    return ReadAll([this](std::string_view piece) { search_.Feed(piece); });
  }

  // Takes every file from the application's cache, between an open and a close of /dev/null.
  template <typename Take>
  Pass TakeAll(Take take) {
    Pass pass;
    for (const TreeFile& file : files_) {
      const io::ApplicationCache::File contents = cache_->Peek(file.path);
      if (!contents) throw os::IoError(file.path, "is not in the application's cache");
      os::Descriptor fd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
      if (!fd) throw os::IoError("/dev/null", errno);
      ++pass.opens;
      take(fd.get(), *contents);
      fd.Close();
      ++pass.closes;
      ++pass.files;
      pass.bytes += contents->size();
      pass.lines += search_.Finish();
    }
    return pass;
  }

  static void WriteOut(int fd, const io::MultiPageBuffer& contents) {
    // As many pages to a call as writev(2) takes, and no more bytes than it writes at once.
    constexpr std::size_t kMostPages = 1024;
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    std::array<iovec, kMostPages> pieces;
    for (std::size_t page = 0; page < contents.pages().size();) {
      std::size_t count = 0;
      std::size_t bytes = 0;
      while (page < contents.pages().size() && count < kMostPages && bytes < kMostBytes) {
        const std::string_view piece = contents.bytes(page++);
        pieces[count++] = {const_cast<char*>(piece.data()), piece.size()};
        bytes += piece.size();
      }
      const ssize_t written = ::writev(fd, pieces.data(), static_cast<int>(count));
      if (written != static_cast<ssize_t>(bytes)) {
        throw os::IoError("/dev/null", written < 0 ? errno : EIO);
      }
    }
  }

  Pass ApplicationPass() { return TakeAll(&Appcache::WriteOut); }
  Pass CopyPass() {
    return TakeAll([this](int, const io::MultiPageBuffer& contents) {
      std::size_t at = 0;
      for (std::size_t page = 0; page < contents.pages().size(); ++page) {
        at = CopyIn(contents.bytes(page), at);
      }
    });
  }
  Pass SearchApplicationPass() {
    return TakeAll([this](int, const io::MultiPageBuffer& contents) {
      for (std::size_t page = 0; page < contents.pages().size(); ++page) {
        search_.Feed(contents.bytes(page));
      }
    });
  }

  // Into the buffer that read(2) fills in the other passes; begins again when it is full.
  std::size_t CopyIn(std::string_view piece, std::size_t at) {
    while (!piece.empty()) {
      if (at == kBufferBytes) at = 0;
      const std::size_t size = std::min(piece.size(), kBufferBytes - at);
      std::memcpy(buffer_.data() + at, piece.data(), size);
      at += size;
      piece.remove_prefix(size);
    }
    return at;
  }

  // Maps every file, hands its contents over, and unmaps it.
  template <typename Take>
  Pass MapAll(Take take) {
    Pass pass;
    for (const TreeFile& file : files_) {
      {
        const os::File opened = os::File::Open(file.path, file.path, AT_FDCWD);
        ++pass.opens;
        const std::uint64_t size = opened.Info().size_bytes;
        pass.bytes += size;
        if (size > 0) take(os::Mapping(opened, 0, static_cast<std::size_t>(size)));
      }
      ++pass.closes;
      ++pass.files;
      pass.lines += search_.Finish();
    }
    return pass;
  }
  Pass MmapPass() {
    return MapAll([](const os::Mapping&) {});
  }
  Pass MmapCopyPass() {
    return MapAll([this](const os::Mapping& mapping) {
      CopyIn(std::string_view(mapping.data(), mapping.size()), 0);
    });
  }
  Pass SearchMmapPass() {
    return MapAll([this](const os::Mapping& mapping) {
      search_.Feed(std::string_view(mapping.data(), mapping.size()));
    });
  }

  void Load() {
    cache_ = std::make_unique<io::ApplicationCache>();
    for (const TreeFile& file : files_) {
      const io::ApplicationCache::File contents = cache_->Get(file.path);
      if (contents->size() != file.size_bytes) throw os::IoError(file.path, "has changed");
    }
  }

  Figures MeasureLoad() {
    cache_.reset();  // the memory for two is not asked for
    const os::OwnUsage before = os::MeasureOwnUsage();
    Load();
    Figures figures = UsageFigures(os::MeasureOwnUsage() - before);
    const io::PoolFigures pool = cache_->pool_figures();
    const io::CacheFigures cache = cache_->figures();
    figures["files"] = static_cast<double>(cache.files);
    figures["bytes"] = static_cast<double>(cache.miss_bytes);
    figures["pool_mapped_bytes"] = static_cast<double>(pool.mapped);
    figures["pool_used_bytes"] = static_cast<double>(pool.used);
    figures["pool_asked_bytes"] = static_cast<double>(pool.asked);
    figures["pool_overhead_bytes"] = static_cast<double>(pool.overhead);
    figures["pool_regions"] = static_cast<double>(pool.regions);
    figures["cache_overhead_bytes"] = static_cast<double>(cache.overhead_bytes);
    for (int i = 0; i < io::kBufferPageSizes; ++i) {
      const io::PoolFigures::Class& pages = pool.classes[static_cast<std::size_t>(i)];
      if (pages.pages_used + pages.pages_free == 0) continue;
      const std::string size = io::FormatSize(io::BufferPageBytes(i));
      figures["pages_used_" + size] = static_cast<double>(pages.pages_used);
      figures["pages_free_" + size] = static_cast<double>(pages.pages_free);
    }
    return figures;
  }

  // A cache of its own that first sees as many accesses as are then counted.
  Figures MeasureShort(double share, AccessPattern pattern) {
    const auto limit = static_cast<std::uint64_t>(share * static_cast<double>(plan_.bytes));
    io::ApplicationCache cache(std::max<std::uint64_t>(limit, 1));
    const std::vector<std::uint32_t> accesses =
        MakeAccesses(pattern, files_.size(), 2 * files_.size(), ++short_trials_);
    const auto ask = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) cache.Get(files_[accesses[i]].path);
    };
    ask(0, files_.size());
    const io::CacheFigures warm = cache.figures();
    const os::OwnUsage before = os::MeasureOwnUsage();
    ask(files_.size(), accesses.size());
    Figures figures = UsageFigures(os::MeasureOwnUsage() - before);
    const io::CacheFigures end = cache.figures();
    const io::PoolFigures pool = cache.pool_figures();
    figures["limit_bytes"] = static_cast<double>(limit);
    figures["hits"] = static_cast<double>(end.hits - warm.hits);
    figures["misses"] = static_cast<double>(end.misses - warm.misses);
    figures["hit_bytes"] = static_cast<double>(end.hit_bytes - warm.hit_bytes);
    figures["miss_bytes"] = static_cast<double>(end.miss_bytes - warm.miss_bytes);
    figures["evictions"] = static_cast<double>(end.evictions - warm.evictions);
    figures["refusals"] = static_cast<double>(end.refusals - warm.refusals);
    figures["pool_mapped_bytes"] = static_cast<double>(pool.mapped);
    figures["pool_used_bytes"] = static_cast<double>(pool.used);
    figures["pool_asked_bytes"] = static_cast<double>(pool.asked);
    return figures;
  }

  const AppcachePlan plan_;
  std::vector<std::string> names_;
  std::vector<std::function<Figures()>> measures_;
  std::vector<TreeFile> files_;
  io::Buffer buffer_{kBufferBytes};
  const std::unique_ptr<Work> work_;
  PiecewiseSearch search_;
  std::unique_ptr<io::ApplicationCache> cache_;
  std::uint64_t expected_lines_ = 0;
  std::uint64_t short_trials_ = 0;
};

}  // namespace

std::unique_ptr<Study> MakeAppcache(const AppcachePlan& plan) {
  return std::make_unique<Appcache>(plan);
}

}  // namespace mr::lab
