// What the tests of processes have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "os/process.h"
#include "support/temp_dir.h"

namespace mr::os {

class ProcessFixture : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_ + "/" + name; }

  const test::TempDir temporary_;
  const std::string directory_ = temporary_.path();
};

inline Command CapturedShell(const std::string& script) {
  Command command = ShellCommand(script);
  command.output = Stream::Capture();
  return command;
}

}  // namespace mr::os
