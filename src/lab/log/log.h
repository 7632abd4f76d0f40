// The log of `mrbench pairs` as values: a header, and then trials and events in the order in which
// they happened. How it is kept on disk: lab/log/log_file.h.
#pragma once

#include <string>
#include <vector>

#include "lab/log/log_file.h"
#include "lab/log/log_header.h"
#include "lab/log/record.h"
#include "lab/plan/observation.h"
#include "lab/plan/plan.h"

namespace mr::lab {

using LogHeader = ExperimentHeader<Plan>;

struct LogContents {
  LogHeader header;
  std::vector<Observation> observations;
  std::vector<LogEvent> events;
  bool cut = false;  // a damaged last line was dropped
};

// Throws os::IoError, naming the line, when the log is not one of `mrbench pairs`.
LogContents ParseLog(const LogFile& file);
LogContents ReadLog(const std::string& path);

Json ToJson(const LogHeader& header);

}  // namespace mr::lab
