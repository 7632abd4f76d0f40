// The world that the trials of a comparison meet: the page cache of every copy, the commands, and
// what the kernel counts for the mounts.
//
// A file on NFS can be cached twice, by the client and by the server. From the client only its own
// cache can be seen and emptied; the server's too when both are the same machine and the plan names
// the place's backing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/compare/copies.h"
#include "lab/compare/plan.h"
#include "lab/trial/stage.h"
#include "os/counters.h"

namespace mr::lab {

class PlaceStage : public Stage {
 public:
  // Both must outlive the stage.
  PlaceStage(const ComparePlan& plan, const DataInventory& inventory, int place);

  // Empties the cache of every copy and backing of the plan, so that each trial finds the same
  // room, and for a warm start reads this place's copy once. Then looks. Returns why the start was
  // not reached; empty when it was.
  std::string Prepare(CacheStart start);

  // Of this place's copy.
  std::uint64_t total_pages() const;

  // Whether the cache is as `start` says.
  static bool IsAt(CacheStart start, const CacheState& state);

  os::Eviction Evict() override;  // of this place's copy and its backing
  CacheState LookAtCache() override;
  CounterState ReadCounters() override;
  os::ProcessResult RunLimited(os::Command command) override;
  os::ProcessResult RunFree(const os::Command& command) override;

  // Of the last RunLimited: what the NFS mount counted; nothing on other file systems.
  const std::optional<os::Counters>& nfs() const { return nfs_; }
  // Pages of the backing in the cache; nothing without one.
  std::optional<CacheState> LookAtBacking() const;

 private:
  std::string EvictAll() const;

  const ComparePlan& plan_;
  const DataInventory& inventory_;
  const ComparePlace& place_;
  std::string mount_point_;
  std::vector<std::string> files_;
  std::optional<os::Counters> nfs_;
};

// Whether reading at the place brings the backing into this machine's cache, that is, whether the
// place is served from there by this machine. Throws os::IoError.
bool IsServedFrom(const std::string& file_at_place, const std::string& file_at_backing);

// Whether files of this type live in memory and have no cold start.
bool LivesInMemory(const std::string& file_system_type);

// Whether there is a cache behind this type that this machine's kernel does not tell about: that of
// a server, or of the process that is the file system.
bool HasCacheBehind(const std::string& file_system_type);

}  // namespace mr::lab
