// What the tests of this folder share: a directory for files, and a process with fewer rights.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "os/maker.h"

namespace mr::os {

// A directory on a file system that has a disk where the machine has one (/tmp may be a tmpfs),
// removed with all it holds.
class Scratch {
 public:
  Scratch() {
    std::string pattern = "/var/tmp/mrgrep_os_test.XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    std::filesystem::permissions(directory_, std::filesystem::perms(0755));
  }
  ~Scratch() { std::filesystem::remove_all(directory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& directory() const { return directory_; }
  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = Path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::string directory_;
};

// Runs `check` in a child process, which becomes the user nobody first if `as_nobody`. What it
// returns must be an empty string; anything else is the failure to report.
template <typename Check>
std::string InChild(bool as_nobody, Check check) {
  int ends[2];
  if (::pipe(ends) != 0) return "pipe";
  const pid_t pid = ::fork();
  if (pid < 0) return "fork";
  if (pid == 0) {
    std::string answer;
    constexpr unsigned kNobody = 65534;
    if (as_nobody &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      answer = "cannot become nobody";
    } else {
      try {
        answer = check();
      } catch (const std::exception& error) {
        answer = std::string("exception: ") + error.what();
      }
    }
    const ssize_t n = ::write(ends[1], answer.data(), answer.size());
    ::_exit(n == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (status != 0) answer += " (child status " + std::to_string(status) + ")";
  return answer;
}

// Of a process that has ended and was reaped.
inline std::string MarkOfTheDead() {
  return InChild(false, [] { return OwnMark(); });
}

inline bool IsRoot() { return ::geteuid() == 0; }

}  // namespace mr::os
