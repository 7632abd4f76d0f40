// The installed GNU grep as the judge: a script is run once with it and once with mrgrep.
#pragma once

#include <string>
#include <string_view>

#include "support/temp_dir.h"

namespace mr::test {

struct ScriptResult {
  int status = 0;  // as a shell reports it
  std::string output;
  std::string errors;
  bool operator==(const ScriptResult&) const = default;
};

// mrgrep is run once for each of many ways to read, and must do the same in all of them: IO mode,
// cache policy, threads and block size are given by options in front of those of the script. A way
// that refuses some file of a script by its nature (a pipe cannot be mapped) is passed over there.
//
// A directory for input files, and bash scripts that run in it. Scripts call `grep`, which is
// GNU grep or a link to mrgrep; in the latter case egrep, fgrep and rgrep are links too. The
// locale is C.UTF-8 and no GREP_ variable is set, unless the script says otherwise.
class GrepComparison {
 public:
  enum class Order { kExact, kAnyLineOrder };

  GrepComparison();

  const TempDir& files() const { return files_; }

  ScriptResult RunGnu(const std::string& script) const;
  // With `options` in front of those of the script.
  ScriptResult RunOurs(const std::string& script, const std::string& options = {}) const;

  // Expects the same status, output and messages of both in every way to read. kAnyLineOrder is for
  // recursive searches, in which GNU grep prints files as the file system has them.
  void ExpectSame(const std::string& script, Order order = Order::kExact) const;

  // ExpectSame for every line of `scripts` that is not empty, each in a subshell.
  void ExpectSameForEach(std::string_view scripts, Order order = Order::kExact) const;

 private:
  ScriptResult Run(const std::string& script, const std::string& path) const;

  TempDir files_;
  TempDir links_;
};

}  // namespace mr::test
