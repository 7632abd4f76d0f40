// A message in place of a crash where recursion exhausts the stack, as the C library's regular
// expression matcher's may.
#pragma once

#include <memory>
#include <string>

namespace mr::os {

// From now on a thread that has an AlternateStack and exhausts its own writes `message` and a
// newline to standard error and ends the process with `status`, without flushing anything
// (sigaltstack(2), "EXAMPLES"). Other invalid accesses end it as before. To be called once.
void ReportStackOverflow(const std::string& message, int status);

// What the handler runs on, for the thread that makes it, as long as it lives. Without memory for
// it the thread goes without.
class AlternateStack {
 public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace mr::os
