#include "os/maker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "os/text_file.h"

namespace mr::os {
namespace {

// Field 22 of /proc/PID/stat: with the number, it names a process once and for all. Empty when
// there is no such process, or one that is dead and only waits for its parent to ask.
std::string StartTime(const std::string& pid) {
  const std::string stat = ReadText("/proc/" + pid + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return {};
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return {};
  std::string field;
  for (int number = 4; number <= 22; ++number) fields >> field;
  return field;
}

// Where the process numbers that this process uses count: the boot and the PID namespace. Empty
// when the kernel does not tell, or when the /proc that is mounted here counts otherwise.
std::string OwnRealm() {
  std::error_code error;
  const std::string number_in_proc = std::filesystem::read_symlink("/proc/self", error);
  if (number_in_proc != std::to_string(::getpid())) return {};
  std::string boot = ReadLine("/proc/sys/kernel/random/boot_id").value_or("");
  boot.erase(std::remove(boot.begin(), boot.end(), '-'), boot.end());
  struct stat pid_namespace;
  if (boot.empty() || ::stat("/proc/self/ns/pid", &pid_namespace) != 0) return {};
  return boot + "-" + std::to_string(pid_namespace.st_ino);
}

}  // namespace

std::string OwnMark() {
  const std::string realm = OwnRealm();
  const std::string pid = std::to_string(::getpid());
  return (realm.empty() ? "0-0" : realm) + "-" + pid + "-" + StartTime(pid);
}

bool IsMarkOfTheDead(std::string_view mark) {
  const std::string realm = OwnRealm();
  if (realm.empty() || !mark.starts_with(realm + "-")) return false;
  mark.remove_prefix(realm.size() + 1);
  const std::size_t hyphen = mark.find('-');
  if (hyphen == std::string_view::npos) return false;
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::string_view pid = mark.substr(0, hyphen);
  const std::string_view start_time = mark.substr(hyphen + 1);
  if (!is_number(pid) || !is_number(start_time)) return false;
  return StartTime(std::string(pid)) != start_time;
}

}  // namespace mr::os
