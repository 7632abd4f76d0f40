// The first half of Run (process.h): from a Command to a running child. Used by process.cc only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <utility>

#include "os/descriptor.h"
#include "os/process.h"

namespace mr::os {

// A child whose end nobody has asked for yet, so that its number is its own. Where it is given up,
// which only an exception does, it is killed, with its process group if it leads one, and reaped.
class UnreapedChild {
 public:
  UnreapedChild() = default;
  UnreapedChild(pid_t pid, bool has_group) : pid_(pid), has_group_(has_group) {}
  UnreapedChild(UnreapedChild&& other) noexcept { *this = std::move(other); }
  UnreapedChild& operator=(UnreapedChild&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(has_group_, other.has_group_);
    return *this;
  }
  ~UnreapedChild();

  pid_t pid() const { return pid_; }
  // It was reaped.
  void Release() { pid_ = -1; }

 private:
  pid_t pid_ = -1;
  bool has_group_ = false;
};

struct LaunchedChild {
  UnreapedChild process;
  Descriptor pidfd;
  Descriptor output;  // our ends of pipes, non-blocking; empty when there is none
  Descriptor error;
  std::chrono::steady_clock::time_point started;  // just before execve, by the child's own clock
  std::int64_t inherited_max_rss_kib = 0;
  std::optional<StartFailure> failure;  // the child has ended or is about to, but is not reaped
};

// Forks and returns when the child has become the command or has failed to. `child_mask` is the
// signal mask that the command starts with. Throws IoError as Run does.
LaunchedChild Launch(const Command& command, const sigset_t& child_mask);

}  // namespace mr::os
