#include "os/machine.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "os/cgroup.h"
#include "os/disk_limit.h"
#include "os/error.h"
#include "os/mount.h"
#include "os/page_cache.h"
#include "os/text_file.h"

namespace mr::os {
namespace {

std::optional<std::uint64_t> ReadNumber(const std::string& path) {
  return LeadingNumber(ReadLine(path).value_or(""));
}

// The choice in brackets: "always [madvise] never".
std::optional<std::string> ReadChoice(const std::string& path) {
  const std::optional<std::string> line = ReadLine(path);
  if (!line) return std::nullopt;
  const std::size_t open = line->find('[');
  const std::size_t close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return line;
  return line->substr(open + 1, close - open - 1);
}

// The value behind "NAME   :" of the first line that begins with `name`.
std::optional<std::string> Field(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> KibibytesField(const std::string& text, std::string_view name) {
  const std::optional<std::uint64_t> kib = LeadingNumber(Field(text, name).value_or(""));
  if (!kib) return std::nullopt;
  return *kib << 10;
}

unsigned UsableCpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

std::optional<double> CpuMegahertz() {
  std::istringstream lines(ReadText("/proc/cpuinfo").value_or(""));
  double sum = 0;
  int cpus = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu MHz")) continue;
    sum += std::strtod(line.substr(std::min(line.find(':') + 1, line.size())).c_str(), nullptr);
    ++cpus;
  }
  if (cpus == 0 || sum == 0) return std::nullopt;
  return sum / cpus;
}

Machine DescribeMachine() {
  Machine machine;
  utsname names;
  if (::uname(&names) == 0) {
    machine.host = names.nodename;
    machine.kernel = names.release;
    machine.architecture = names.machine;
  }
  machine.cpu_model = Field(ReadText("/proc/cpuinfo").value_or(""), "model name").value_or("");
  machine.cpus = UsableCpus();
  const std::string memory = ReadText("/proc/meminfo").value_or("");
  machine.memory_bytes = KibibytesField(memory, "MemTotal").value_or(0);
  machine.swap_bytes = KibibytesField(memory, "SwapTotal");
  machine.page_bytes = PageBytes();
  machine.transparent_huge_pages = ReadChoice("/sys/kernel/mm/transparent_hugepage/enabled");
  machine.cpu_governor = ReadLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  machine.cpu_mhz = CpuMegahertz();
  if (const auto load = ReadLine("/proc/loadavg")) {
    machine.load = std::strtod(load->c_str(), nullptr);
  }
  machine.swappiness = ReadNumber("/proc/sys/vm/swappiness");
  // A bit mask in hexadecimal; bit 0 is the main switch.
  if (const auto mask = ReadLine("/sys/kernel/mm/lru_gen/enabled"); mask && !mask->empty()) {
    const char last = mask->back();
    machine.multi_gen_lru = (last >= 'a' ? last - 'a' + 10 : last - '0') % 2 == 1;
  }
  machine.memory_cgroup_version = CgroupVersion(Controller::kMemory);
  return machine;
}

FileSystem DescribeFileSystem(const std::string& path) {
  FileSystem result;
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) throw IoError(path, errno);
  result.device = std::to_string(major(info.st_dev)) + ":" + std::to_string(minor(info.st_dev));
  if (const auto mount = FindMount(path)) {
    result.type = mount->type;
    result.mount_point = mount->point;
    result.source = mount->source;
    result.mount_options = mount->options;
  }
  struct statvfs space;
  if (::statvfs(path.c_str(), &space) == 0) {
    result.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
    result.total_bytes = std::uint64_t{space.f_blocks} * space.f_frsize;
  }
  result.read_ahead_kib = ReadNumber("/sys/class/bdi/" + result.device + "/read_ahead_kb");
  try {
    const Disk disk = FindDisk(path);
    const std::string queue = "/sys/block/" + disk.name + "/queue/";
    result.disk = disk.name;
    result.scheduler = ReadChoice(queue + "scheduler");
    if (const auto rotational = ReadNumber(queue + "rotational")) {
      result.rotational = *rotational != 0;
    }
    // A partition has no bdi of its own.
    if (!result.read_ahead_kib) result.read_ahead_kib = ReadNumber(queue + "read_ahead_kb");
  } catch (const IoError&) {
    // No single disk below: the fields stay empty.
  }
  return result;
}

}  // namespace mr::os
