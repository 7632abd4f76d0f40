// Programs run as a user would, with nothing to read and everything captured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "os/process.h"

namespace mr::test {

inline os::ProcessResult RunCaptured(os::Command command) {
  command.input = os::Stream::Null();
  command.output = os::Stream::Capture();
  command.error = os::Stream::Capture();
  return os::Run(command);
}

inline os::ProcessResult RunProgram(std::vector<std::string> arguments) {
  os::Command command;
  command.arguments = std::move(arguments);
  return RunCaptured(std::move(command));
}

}  // namespace mr::test
