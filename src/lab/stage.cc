#include "lab/stage.h"

#include <optional>
#include <utility>

#include "os/cgroup.h"
#include "os/disk_limit.h"
#include "os/memory_limit.h"

namespace mr::lab {
namespace {

constexpr std::size_t kMapPieces = 64;

class RealStage : public Stage {
 public:
  explicit RealStage(const Plan& plan) : file_(plan.file) {
    if (plan.memory_bytes) memory_.emplace(groups_, *plan.memory_bytes);
    if (plan.disk_bytes_per_second) disk_.emplace(groups_, file_, *plan.disk_bytes_per_second);
  }

  os::Eviction Evict() override {
    os::Eviction eviction = os::Evict(file_);
    // What else earlier trials left charged, such as the pages of their programs, would make the
    // room for the data differ from unit to unit.
    if (memory_) memory_->Reclaim();
    return eviction;
  }

  CacheState LookAtCache() override {
    const os::Residency residency = os::MeasureResidency(file_);
    return {.total_pages = residency.total_pages,
            .resident_pages = residency.resident_pages,
            .resident_map = os::MapResidency(file_, kMapPieces).resident_pages,
            .charged_bytes = memory_ ? std::optional(memory_->ChargedBytes()) : std::nullopt};
  }

  CounterState ReadCounters() override {
    return {.vmstat = os::ReadVmstat(),
            .pressure = os::ReadPressure(),
            .group = memory_ ? memory_->ReadCounters() : os::Counters{}};
  }

  os::ProcessResult RunLimited(os::Command command) override {
    command.cgroup_procs_files = groups_.procs_files();
    return os::Run(command);
  }

  os::ProcessResult RunFree(const os::Command& command) override { return os::Run(command); }

 private:
  std::string file_;
  os::GroupSet groups_;
  std::optional<os::MemoryLimit> memory_;
  std::optional<os::DiskLimit> disk_;
};

}  // namespace

std::unique_ptr<Stage> MakeStage(const Plan& plan) { return std::make_unique<RealStage>(plan); }

}  // namespace mr::lab
