// How "mrbench time" shows the figures of a command that has run.
#pragma once

#include <string>
#include <vector>

#include "os/process.h"

namespace mr::app {

enum class TimeLayout {
  kOneLine,  // as BSD time(1) without options
  kPosix,    // -p: three lines
  kHuman,    // -h: "1h2m3.45s"
};

// Real, user and system time. Hundredths are cut off, not rounded, as BSD does.
std::string FormatTimes(const os::ProcessResult& result, TimeLayout layout);

// The lines of BSD "time -l": value and label. The maximum resident set size is in kilobytes (of
// 1024 bytes), as on FreeBSD and in Linux's own rusage; macOS prints bytes. Block operations are
// in units of 512 bytes. What Linux keeps no figure for is "n/a".
std::string FormatResources(const os::ResourceUsage& usage);

// Everything that is known, as one JSON object on one line. Names carry the units; what Linux
// does not keep is null.
std::string FormatTimeJson(const std::vector<std::string>& command,
                           const os::ProcessResult& result);

}  // namespace mr::app
