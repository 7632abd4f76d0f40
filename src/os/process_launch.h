// The first half of Run (process.h): from a Command to a running child. Used by process.cc only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>

#include "os/descriptor.h"
#include "os/process.h"

namespace mr::os {

struct LaunchedChild {
  pid_t pid = -1;
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
