#include "os/orphans.h"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <vector>

#include "os/text_file.h"

namespace mr::os {
namespace {

constexpr const char* kProgram = "mrbench";

bool IsControlGroup(const std::string& directory) {
  struct statfs info;
  if (::statfs(directory.c_str(), &info) != 0) return false;
  return info.f_type == CGROUP_SUPER_MAGIC || info.f_type == CGROUP2_SUPER_MAGIC;
}

// The name of the program whose child the process is; empty when that is not to be seen.
std::string ParentsName(const std::string& pid) {
  // "PID (NAME) STATE PPID ...", and a name may hold anything.
  const std::string stat = ReadText("/proc/" + pid + "/stat").value_or("");
  std::istringstream rest(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string state, parent;
  rest >> state >> parent;
  return ReadLine("/proc/" + parent + "/comm").value_or("");
}

}  // namespace

bool EndOrphans(const std::string& group_directory) {
  if (!IsControlGroup(group_directory)) return false;
  std::istringstream lines(ReadText(group_directory + "/cgroup.procs").value_or(""));
  std::vector<pid_t> pids;
  for (pid_t pid = 0; lines >> pid;) {
    if (pid <= 0 || ParentsName(std::to_string(pid)) == kProgram) return false;
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) ::kill(pid, SIGKILL);
  return true;
}

}  // namespace mr::os
