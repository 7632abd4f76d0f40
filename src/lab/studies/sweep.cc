#include "lab/studies/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "os/descriptor.h"
#include "os/error.h"
#include "os/own_usage.h"
#include "os/scratch_directory.h"
#include "os/text_file.h"

namespace mr::lab {
namespace {

// What every file repeats: 128 bytes, so that all sizes of four per doubling from 512 hold it a
// whole number of times.
constexpr std::string_view kContent =
    "static int lookup(const struct table *map, unsigned key)\n"
    "{\n"
    "\tif (key >= map->size) return -1; /* not there */\n"
    "\treturn map->next;\n";
static_assert(kContent.size() == 128);

constexpr std::array<std::pair<SweepBuffers, std::string_view>, 3> kBufferNames = {
    {{SweepBuffers::kMalloc, "malloc"},
     {SweepBuffers::kMalloc128, "malloc-128k"},
     {SweepBuffers::kPool, "pool"}}};

void WriteRepeated(const std::string& path, std::uint64_t size_bytes) {
  const os::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) throw os::IoError(path, errno);
  std::string piece;
  while (piece.size() < (std::size_t{1} << 20)) piece += kContent;
  for (std::uint64_t written = 0; written < size_bytes; written += piece.size()) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size_bytes - written));
    const int error = os::WriteAll(file.get(), std::string_view(piece).substr(0, wanted));
    if (error != 0) throw os::IoError(path, error);
  }
}

struct CellPlan {
  std::size_t reader = 0;
  bool purge = false;
  std::size_t size = 0;  // index
};

std::vector<CellPlan> CellPlans(const SweepPlan& plan) {
  std::vector<CellPlan> cells;
  for (std::size_t reader = 0; reader < plan.readers.size(); ++reader) {
    for (const bool purge : {false, true}) {
      for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
        cells.push_back({.reader = reader, .purge = purge, .size = size});
      }
    }
  }
  return cells;
}

class Sweep final : public Study {
 public:
  explicit Sweep(const SweepPlan& plan)
      : plan_(plan), cells_(CellPlans(plan)), work_(MakeWork(plan.work, plan.pattern)) {
    const io::Allocation allocation =
        plan.buffers == SweepBuffers::kPool ? io::Allocation::kPool : io::Allocation::kMalloc;
    for (const std::string& reader : plan.readers) {
      const io::IoSpec spec = io::ParseIoSpec(reader);
      loaders_.push_back(std::make_unique<io::WholeFileLoader>(spec, allocation));
      reads_disk_.push_back(spec.direct || spec.mode == io::Mode::kDirect);
    }
  }

  std::vector<std::string> Cells() const override { return SweepCells(plan_); }

  void Prepare(ProgressLine& progress) override {
    // Setting it also ends glibc's habit of raising it when such a block is freed (mallopt(3)).
    if (plan_.buffers == SweepBuffers::kMalloc128) ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    scratch_ = std::make_unique<os::ScratchDirectory>(plan_.directory, "mrbench-sweep");
    for (std::size_t i = 0; i < plan_.sizes.size(); ++i) {
      progress.Show(fmt::format("making a file of {} bytes", plan_.sizes[i]));
      WriteRepeated(Path(i), plan_.sizes[i]);
    }
    // The truth comes from the first reader; it also shows that every reader works here.
    for (std::size_t i = 0; i < plan_.sizes.size(); ++i) {
      for (std::size_t reader = 0; reader < loaders_.size(); ++reader) {
        const std::uint64_t result = work_->Process(loaders_[reader]->Load(Path(i))->bytes());
        if (reader == 0) expected_.push_back(result);
        if (result != expected_[i])
          throw os::IoError(Path(i), "read differently by " + plan_.readers[reader]);
      }
    }
  }

  Figures Measure(std::size_t index) override {
    const CellPlan& cell = cells_[index];
    io::WholeFileLoader& loader = *loaders_[cell.reader];
    const std::string path = Path(cell.size);
    const int repeats = plan_.RepeatsFor(plan_.sizes[cell.size]);
    std::uint64_t results = 0;

    const os::OwnUsage before = os::MeasureOwnUsage();
    if (cell.purge) {
      for (int i = 0; i < repeats; ++i) results += work_->Process(loader.Load(path)->bytes());
    } else {
      const std::unique_ptr<io::WholeFile> kept = loader.Load(path);
      for (int i = 0; i < repeats; ++i) results += work_->Process(kept->bytes());
    }
    const os::OwnUsage used = os::MeasureOwnUsage() - before;

    if (results != expected_[cell.size] * static_cast<std::uint64_t>(repeats)) {
      throw os::IoError(path, "the work found something else than before");
    }
    if (used.disk_bytes > 0 && !reads_disk_[cell.reader]) {
      throw os::IoError(path, fmt::format("{} bytes came from the disk", used.disk_bytes));
    }
    return {{"repeats", repeats},
            {"wall_ns", static_cast<double>(used.wall.count())},
            {"cpu_ns", static_cast<double>(used.cpu.count())},
            {"user_us", static_cast<double>(used.user.count())},
            {"system_us", static_cast<double>(used.system.count())},
            {"minor_faults", static_cast<double>(used.minor_faults)}};
  }

 private:
  std::string Path(std::size_t size) const {
    return fmt::format("{}/{}", scratch_->path(), plan_.sizes[size]);
  }

  const SweepPlan plan_;
  const std::vector<CellPlan> cells_;
  const std::unique_ptr<Work> work_;
  // One for each reader.
  std::vector<std::unique_ptr<io::WholeFileLoader>> loaders_;
  std::vector<bool> reads_disk_;
  std::unique_ptr<os::ScratchDirectory> scratch_;
  std::vector<std::uint64_t> expected_;  // what one processing gives, for each size
};

}  // namespace

int SweepPlan::RepeatsFor(std::uint64_t size_bytes) const {
  const std::uint64_t affordable = budget_bytes / std::max<std::uint64_t>(size_bytes, 1);
  const auto wanted = static_cast<std::uint64_t>(repeats);
  if (affordable >= wanted) return repeats;
  return static_cast<int>(std::min(wanted, std::max<std::uint64_t>(affordable, kLeastRepeats)));
}

std::vector<std::uint64_t> SweepSizes(std::uint64_t first, std::uint64_t last, int per_doubling) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t base = first; base <= last; base *= 2) {
    for (int step = 0; step < per_doubling; ++step) {
      const std::uint64_t size =
          base + base * static_cast<std::uint64_t>(step) / static_cast<std::uint64_t>(per_doubling);
      if (size <= last && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
    }
  }
  if (!sizes.empty() && sizes.back() < last) sizes.push_back(last);
  return sizes;
}

std::string_view SweepBuffersName(SweepBuffers buffers) {
  for (const auto& [known, name] : kBufferNames) {
    if (known == buffers) return name;
  }
  return "";
}

std::optional<SweepBuffers> ParseSweepBuffers(std::string_view name) {
  for (const auto& [buffers, known] : kBufferNames) {
    if (known == name) return buffers;
  }
  return std::nullopt;
}

Json ToJson(const SweepPlan& plan) {
  return {{"sizes", plan.sizes},
          {"repeats", plan.repeats},
          {"budget_bytes", plan.budget_bytes},
          {"readers", plan.readers},
          {"work", WorkName(plan.work)},
          {"pattern", plan.pattern},
          {"buffers", SweepBuffersName(plan.buffers)},
          {"directory", plan.directory}};
}

SweepPlan SweepPlanFromJson(const Json& json) {
  SweepPlan plan;
  plan.sizes = WholeList<std::uint64_t>(json.at("sizes"));
  plan.repeats = Whole<int>(json.at("repeats"));
  plan.budget_bytes = Whole<std::uint64_t>(json.at("budget_bytes"));
  plan.readers = json.at("readers").get<std::vector<std::string>>();
  const auto work = ParseWork(json.at("work").get<std::string>());
  const auto buffers = ParseSweepBuffers(json.at("buffers").get<std::string>());
  if (!work || !buffers || plan.sizes.empty() || plan.readers.empty() || plan.repeats < 1 ||
      !std::is_sorted(plan.sizes.begin(), plan.sizes.end()) || plan.sizes[0] == 0) {
    throw RecordError("a plan of a sweep that makes no sense");
  }
  plan.work = *work;
  plan.buffers = *buffers;
  plan.pattern = json.at("pattern").get<std::string>();
  plan.directory = json.at("directory").get<std::string>();
  return plan;
}

std::string SweepCell(const std::string& reader, bool purge, std::uint64_t size_bytes) {
  return fmt::format("{} {} {}", reader, purge ? "purge" : "nopurge", size_bytes);
}

std::vector<std::string> SweepCells(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const CellPlan& cell : CellPlans(plan)) {
    names.push_back(SweepCell(plan.readers[cell.reader], cell.purge, plan.sizes[cell.size]));
  }
  return names;
}

std::unique_ptr<Study> MakeSweep(const SweepPlan& plan) { return std::make_unique<Sweep>(plan); }

}  // namespace mr::lab
