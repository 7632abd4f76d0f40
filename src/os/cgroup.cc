#include "os/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

#include "os/descriptor.h"
#include "os/maker.h"
#include "os/orphans.h"
#include "os/text_file.h"

namespace mr::os {
namespace {

constexpr std::string_view kNamePrefix = "mrbench-";
constexpr std::chrono::milliseconds kRemovalPatience{500};

std::string_view NameIn(Controller controller, int version) {
  if (controller == Controller::kMemory) return "memory";
  return version == 2 ? "io" : "blkio";
}

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool HasWord(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string candidate; words >> candidate;) {
    if (candidate == word) return true;
  }
  return false;
}

// One mounted hierarchy, and where this process is in it.
struct Tree {
  int version = 0;
  std::string root;
  std::string own;  // directory of this process's group; the root when that is not visible
};

// The path behind "N:CONTROLLERS:" in /proc/self/cgroup.
std::string OwnPath(const CgroupPaths& paths, std::string_view controller) {
  std::istringstream lines(ReadText(paths.self).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string names = line.substr(first + 1, second - first - 1);
    std::replace(names.begin(), names.end(), ',', ' ');
    const bool found = controller.empty() ? names.empty() : HasWord(names, controller);
    if (found) return line.substr(second + 1);
  }
  return "/";
}

std::optional<Tree> FindTree(Controller controller, const CgroupPaths& paths) {
  for (const std::string& root : {paths.root, paths.root + "/unified"}) {
    const auto controllers = ReadText(root + "/cgroup.controllers");
    if (controllers && HasWord(*controllers, NameIn(controller, 2))) {
      return Tree{2, root, root + OwnPath(paths, "")};
    }
  }
  const std::string_view name = NameIn(controller, 1);
  const std::string root = paths.root + "/" + std::string(name);
  if (Exists(root + "/cgroup.procs")) return Tree{1, root, root + OwnPath(paths, name)};
  return std::nullopt;
}

// From this process's group up to the root of the tree.
std::vector<std::string> Ancestors(const Tree& tree) {
  std::string directory = tree.own;
  while (directory.size() > tree.root.size() && directory.ends_with('/')) directory.pop_back();
  std::vector<std::string> result;
  // In a namespace of its own a process may see another's part of the tree only.
  if (!Exists(directory) || directory.find("/..") != std::string::npos) directory = tree.root;
  while (directory.size() > tree.root.size()) {
    result.push_back(directory);
    directory.resize(directory.rfind('/'));
  }
  result.push_back(tree.root);
  return result;
}

// Version 1 has no rule about processes in inner groups, so there is a choice. The root of the
// tree is where the next run looks for what this one leaves behind, whatever session it belongs
// to; but a limit that already holds for us must go on to hold.
std::vector<std::string> PlacesInVersion1(const Tree& tree) {
  std::vector<std::string> own_first = Ancestors(tree);
  own_first = {own_first.front(), tree.root};
  std::istringstream lines(ReadText(own_first.front() + "/memory.stat").value_or(""));
  std::uint64_t value = 0;
  for (std::string name; lines >> name >> value;) {
    if (name == "hierarchical_memory_limit" && value < (std::uint64_t{1} << 62)) return own_first;
  }
  return {own_first.back(), own_first.front()};
}

std::string NewName() {
  static std::atomic<int> count = 0;
  return std::string(kNamePrefix) + OwnMark() + "-" + std::to_string(count++);
}

// Whether `name` is that of a group whose maker is dead.
bool IsStale(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return false;
  name.remove_prefix(kNamePrefix.size());
  const std::size_t number = name.rfind('-');
  return number != std::string_view::npos && IsMarkOfTheDead(name.substr(0, number));
}

// 0, or why not. The kernel takes each write as a whole, so that the rest of a short one must not
// follow it.
int WriteFile(const std::string& path, std::string_view value) {
  const Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return errno;
  ssize_t n;
  do {
    n = ::write(fd.get(), value.data(), value.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  return n == static_cast<ssize_t>(value.size()) ? 0 : EIO;
}

// What a group that nobody uses still caches would be charged to its parent for good.
void ForgetCache(const std::string& directory) {
  if (Exists(directory + "/memory.force_empty")) WriteFile(directory + "/memory.force_empty", "0");
}

bool RemoveGroup(const std::string& directory, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::rmdir(directory.c_str()) != 0) {
    if (errno == ENOENT) return false;
    // A process that has just ended counts for a moment longer.
    if (errno != EBUSY || std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::size_t RemoveStaleIn(const std::string& parent) {
  std::size_t removed = 0;
  DIR* directory = ::opendir(parent.c_str());
  if (directory == nullptr) return 0;
  while (const dirent* entry = ::readdir(directory)) {
    if (!IsStale(entry->d_name)) continue;
    const std::string group = parent + "/" + entry->d_name;
    // Somebody may still live in it, whom we have no business with: only an empty group can be
    // removed then.
    std::chrono::milliseconds patience{0};
    if (EndOrphans(group)) {
      patience = std::chrono::milliseconds(1000);
      ForgetCache(group);
    }
    if (RemoveGroup(group, patience)) ++removed;
  }
  ::closedir(directory);
  return removed;
}

bool Lists(const std::string& directory, const char* file, Controller controller) {
  return HasWord(ReadText(directory + "/" + file).value_or(""), NameIn(controller, 2));
}

bool Offers(const std::string& directory, Controller controller) {
  return Lists(directory, "cgroup.controllers", controller);
}

bool PassesOn(const std::string& directory, Controller controller) {
  return Lists(directory, "cgroup.subtree_control", controller);
}

// In version 2 a controller is there in a group only if the group's parent passes it on, and a
// group that holds processes itself must not pass on any. 0, or why not. What was switched on
// stays so: another run may have begun to rely on it.
int PassOn(const std::string& parent, Controller controller) {
  if (PassesOn(parent, controller)) return 0;
  return WriteFile(parent + "/cgroup.subtree_control",
                   std::string("+").append(NameIn(controller, 2)));
}

// The best places come first. A limit that already holds for us must go on to hold. Then, a place
// that has both controllers is better, since the other one may be wanted later, and one where they
// are on already is better, since systemd may switch off what it has not switched on itself.
std::vector<std::string> PlacesInVersion2(const Tree& tree, Controller controller) {
  constexpr int kOutsideOfLimit = 10, kUnfit = 100;
  struct Place {
    std::string directory;
    int rank;
  };
  std::vector<Place> places;
  int base = 0;
  for (const std::string& directory : Ancestors(tree)) {
    const auto both = [&directory](bool (*has)(const std::string&, Controller)) {
      return has(directory, Controller::kMemory) && has(directory, Controller::kIo);
    };
    int rank = kUnfit;
    if (both(PassesOn)) {
      rank = base;
    } else if (both(Offers)) {
      rank = base + 1;
    } else if (PassesOn(directory, controller)) {
      rank = base + 2;
    } else if (Offers(directory, controller)) {
      rank = base + 3;
    }
    if (rank != kUnfit) places.push_back({directory, rank});
    const std::string limit = ReadText(directory + "/memory.max").value_or("max");
    if (!limit.starts_with("max")) base = kOutsideOfLimit;
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.rank < b.rank; });
  std::vector<std::string> result;
  for (Place& place : places) result.push_back(std::move(place.directory));
  return result;
}

std::vector<std::string> Places(const Tree& tree, Controller controller) {
  return tree.version == 2 ? PlacesInVersion2(tree, controller) : PlacesInVersion1(tree);
}

[[noreturn]] void ThrowNoGroup(Controller controller, const Tree& tree,
                               const std::string& directory, int error_number) {
  const std::string what = controller == Controller::kMemory ? "memory" : "block IO";
  std::string message =
      "cannot create a " + what + " cgroup under " + directory + ": " + std::strerror(error_number);
  if (error_number == EBUSY) {
    message +=
        "; that group holds processes itself, start mrbench in a group of its own: "
        "systemd-run --scope -p Delegate=yes mrbench ...";
  } else if (error_number == EROFS) {
    message += "; the control groups of this container cannot be changed from within";
  } else if (tree.version == 2) {
    message +=
        "; run as root, or in a delegated scope: "
        "systemd-run --user --scope -p Delegate=yes mrbench ...";
  } else {
    message += "; run as root, or have root make a group that you may write to";
  }
  throw CgroupError(message);
}

std::string MakeDirectory(Controller controller, const Tree& tree) {
  const std::string name = NewName();
  std::string first_place;
  int first_error = 0;
  const auto note = [&](const std::string& place, int error_number) {
    if (first_error == 0) {
      first_place = place;
      first_error = error_number;
    }
  };
  for (const std::string& place : Places(tree, controller)) {
    const int error_number = tree.version == 2 ? PassOn(place, controller) : 0;
    if (error_number != 0) {
      note(place, error_number);
      continue;
    }
    const std::string directory = place + "/" + name;
    if (::mkdir(directory.c_str(), 0755) == 0) return directory;
    note(place, errno);
  }
  ThrowNoGroup(controller, tree, first_error == 0 ? tree.root : first_place,
               first_error == 0 ? ENOENT : first_error);
}

}  // namespace

int CgroupVersion(Controller controller, const CgroupPaths& paths) {
  const std::optional<Tree> tree = FindTree(controller, paths);
  return tree ? tree->version : 0;
}

std::vector<std::string> OwnGroups(Controller controller, const CgroupPaths& paths) {
  const std::optional<Tree> tree = FindTree(controller, paths);
  return tree ? Ancestors(*tree) : std::vector<std::string>();
}

Cgroup::Cgroup(std::string directory, int version)
    : directory_(std::move(directory)), version_(version) {}

Cgroup::~Cgroup() {
  ForgetCache(directory_);
  RemoveGroup(directory_, kRemovalPatience);
}

std::string Cgroup::Read(std::string_view file) const {
  const std::string path = directory_ + "/" + std::string(file);
  std::optional<std::string> text = ReadText(path);
  if (!text) throw CgroupError("cannot read " + path + ": " + std::strerror(errno));
  return *std::move(text);
}

void Cgroup::Write(std::string_view file, std::string_view value, std::string_view purpose) const {
  const std::string path = directory_ + "/" + std::string(file);
  if (const int error_number = WriteFile(path, value)) {
    throw CgroupError("cannot " + std::string(purpose) + ": writing \"" + std::string(value) +
                      "\" to " + path + ": " + std::strerror(error_number));
  }
}

struct GroupSet::Member {
  std::string tree_root;
  std::vector<Controller> controllers;
  std::shared_ptr<Cgroup> group;
};

GroupSet::GroupSet(CgroupPaths paths) : paths_(std::move(paths)) {}
GroupSet::~GroupSet() = default;

std::shared_ptr<Cgroup> GroupSet::For(Controller controller) {
  const std::optional<Tree> tree = FindTree(controller, paths_);
  if (!tree) {
    throw CgroupError("this system has no " + std::string(NameIn(controller, 2)) +
                      " controller for control groups (looked in " + paths_.root + ")");
  }
  for (Member& member : members_) {
    if (member.tree_root != tree->root) continue;
    std::vector<Controller>& known = member.controllers;
    if (std::find(known.begin(), known.end(), controller) == known.end()) {
      const std::string& directory = member.group->directory();
      const std::string parent = directory.substr(0, directory.rfind('/'));
      if (const int error_number = PassOn(parent, controller)) {
        ThrowNoGroup(controller, *tree, parent, error_number);
      }
      known.push_back(controller);
    }
    return member.group;
  }
  if (members_.empty()) RemoveStaleGroups(paths_);
  auto group = std::make_shared<Cgroup>(MakeDirectory(controller, *tree), tree->version);
  members_.push_back({tree->root, {controller}, group});
  return group;
}

std::vector<std::string> GroupSet::procs_files() const {
  std::vector<std::string> files;
  for (const Member& member : members_) files.push_back(member.group->procs_file());
  return files;
}

std::size_t RemoveStaleGroups(const CgroupPaths& paths) {
  std::size_t removed = 0;
  for (const Controller controller : {Controller::kMemory, Controller::kIo}) {
    if (const std::optional<Tree> tree = FindTree(controller, paths)) {
      for (const std::string& place : Places(*tree, controller)) removed += RemoveStaleIn(place);
    }
  }
  return removed;
}

}  // namespace mr::os
