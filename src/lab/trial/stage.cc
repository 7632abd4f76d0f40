#include "lab/trial/stage.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/trial/timeline.h"
#include "os/cgroup.h"
#include "os/disk_limit.h"
#include "os/machine.h"
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
            .group = memory_ ? memory_->ReadCounters() : os::Counters{},
            .cpu = os::ReadCpuTimes()};
  }

  os::ProcessResult RunLimited(os::Command command) override {
    command.cgroup_procs_files = groups_.procs_files();
    const bool forgot = memory_ && memory_->ForgetPeak();
    Sampler sampler([this, start = ReadMoment()] { return Since(start); });
    os::ProcessResult result = os::Run(command);
    trace_ = {.moments = sampler.Stop(),
              .peak_charged_bytes = forgot ? memory_->PeakBytes() : std::nullopt,
              .cpu_mhz = os::CpuMegahertz()};
    if (memory_ && !forgot) trace_.peak_charged_bytes = HighestCharge(trace_.moments);
    return result;
  }

  bool LimitsSwap() const override { return memory_ && memory_->limits_swap(); }

  RunTrace TakeTrace() override { return std::exchange(trace_, {}); }

  os::ProcessResult RunFree(const os::Command& command) override { return os::Run(command); }

 private:
  Moment ReadMoment() const {
    const os::Counters vmstat = os::ReadVmstat();
    const os::Counters pressure = os::ReadPressure();
    Moment moment;
    // In units of 1024 bytes, whatever the page size (kernel, mm/vmstat.c).
    moment.disk_bytes = static_cast<std::uint64_t>(os::Find(vmstat, "pgpgin").value_or(0)) * 1024;
    moment.major_faults = os::Find(vmstat, "pgmajfault").value_or(0);
    moment.io_pressure_us = os::Find(pressure, "io.some").value_or(0);
    try {
      if (memory_) moment.charged_bytes = memory_->ChargedBytes();
    } catch (const os::CgroupError&) {
      // Unknown at this moment; whether the limit held is judged by what is known.
    }
    return moment;
  }

  Moment Since(const Moment& start) const {
    Moment moment = ReadMoment();
    moment.disk_bytes -= start.disk_bytes;
    moment.major_faults -= start.major_faults;
    moment.io_pressure_us -= start.io_pressure_us;
    return moment;
  }

  static std::optional<std::uint64_t> HighestCharge(const std::vector<Moment>& moments) {
    std::optional<std::uint64_t> highest;
    for (const Moment& moment : moments) {
      if (moment.charged_bytes) {
        highest = std::max(highest.value_or(0), *moment.charged_bytes);
      }
    }
    return highest;
  }

  std::string file_;
  os::GroupSet groups_;
  std::optional<os::MemoryLimit> memory_;
  std::optional<os::DiskLimit> disk_;
  RunTrace trace_;
};

}  // namespace

std::unique_ptr<Stage> MakeStage(const Plan& plan) { return std::make_unique<RealStage>(plan); }

}  // namespace mr::lab
