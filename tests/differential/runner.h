// Runs a program over a case, in a directory of its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "differential/case.h"

namespace differential {

struct Program {
  std::string path;
  std::vector<std::string> leading;  // arguments before those of the case
  // A run that takes longer is killed: a pattern can take exponential time.
  std::chrono::milliseconds time_limit{20'000};
};

struct RunResult {
  int status = 0;          // exit status, or 128 + the signal that ended it
  bool timed_out = false;  // or never begun, for arguments that are too long
  std::string output;
  std::string errors;  // empty when the case has one stream
  bool operator==(const RunResult&) const = default;
};

// Not thread-safe: every thread has its own, in its own directory.
class Runner {
 public:
  // Makes a directory, in memory if possible or else on a disk, which is removed again at the end.
  enum class Place { kMemory, kDisk };
  explicit Runner(Place place = Place::kMemory);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Writes the case's files; those that are there already are left alone.
  void Prepare(const Case& test_case);

  // Runs `program` over the prepared case. Throws std::system_error when it cannot be started.
  RunResult Run(const Program& program, const Case& test_case);

 private:
  void Write(const std::string& name, const std::string& bytes);

  std::filesystem::path directory_;
  std::vector<InputFile> present_;
};

}  // namespace differential
