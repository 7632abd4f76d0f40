// GNU grep as the judge: which lines of a file it selects, and which spans -o prints.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace mr::match {

class GrepOracle {
 public:
  // `locale` is what LC_ALL is set to for grep.
  explicit GrepOracle(std::string locale) : locale_(std::move(locale)) {
    std::string name = "/tmp/mrgrep_oracle_XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd < 0) throw std::runtime_error("mkstemp");
    close(fd);
    path_ = name;
  }
  ~GrepOracle() { std::remove(path_.c_str()); }
  GrepOracle(const GrepOracle&) = delete;
  GrepOracle& operator=(const GrepOracle&) = delete;

  void SetText(const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }

  // Standard output of `grep OPTIONS -e PATTERN FILE`, then standard error.
  std::string Run(const std::vector<std::string>& options, const std::vector<std::string>& patterns,
                  bool errors = false) const {
    std::string command = "LC_ALL=" + locale_ + " grep";
    for (const std::string& option : options) command += " " + Quote(option);
    for (const std::string& pattern : patterns) command += " -e " + Quote(pattern);
    command += " " + Quote(path_) + (errors ? " 2>&1 >/dev/null" : " 2>/dev/null");
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen");
    std::string out;
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      out.append(buffer.data(), n);
    }
    pclose(pipe);
    return out;
  }

  static std::string Quote(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'') {
        quoted += "'\\''";
      } else {
        quoted += c;
      }
    }
    return quoted + "'";
  }

 private:
  std::string locale_;
  std::string path_;
};

}  // namespace mr::match
