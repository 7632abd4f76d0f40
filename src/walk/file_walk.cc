#include "walk/file_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/descriptor.h"

namespace mr::walk {
namespace {

// By one Prepare: in about as many lie the files of a source tree that a thread takes at once.
constexpr std::size_t kClaimedAtOnce = 4;

constexpr std::uint64_t kDescriptorsForAhead =
    2 * (FileWalk::kMaxOpenLevels + FileWalk::kMostAhead);

search::FileTask Failure(const std::string& shown, int error) {
  search::FileTask task;
  task.label = shown;
  task.error = shown + ": " + std::strerror(error);
  return task;
}

search::FileTask OutputFailure(const std::string& shown) {
  search::FileTask task;
  task.label = shown;
  task.error = shown + ": input file is also the output";
  return task;
}

FileIdentity IdentityOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// "dir/" shows its files as "dir/x"; so does "dir//".
std::string PrefixOf(std::string operand) {
  while (operand.size() > 1 && operand.ends_with('/')) operand.pop_back();
  if (!operand.ends_with('/')) operand += '/';
  return operand;
}

}  // namespace

FileWalk::FileWalk(WalkPlan plan) : plan_(std::move(plan)) {}

std::optional<search::FileTask> FileWalk::Next() {
  while (true) {
    if (!levels_.empty()) {
      if (levels_.back().next == levels_.back().listed.entries.size()) {
        levels_.pop_back();
        continue;
      }
      if (auto task = NextEntry()) return task;
      continue;
    }
    const std::size_t operands = std::max<std::size_t>(plan_.operands.size(), 1);
    if (next_operand_ == operands) return std::nullopt;
    if (auto task = NextOperand()) return task;
  }
}

// Nothing when the operand is passed over, or is a directory that has been entered.
std::optional<search::FileTask> FileWalk::NextOperand() {
  const std::size_t operand = next_operand_++;
  if (!plan_.operands.empty()) {
    if (plan_.operands[operand] == "-") return StandardInput();
    return Operand(plan_.operands[operand]);
  }
  if (plan_.directories != Directories::kRecurse) return StandardInput();
  return Enter(AT_FDCWD, ".", ".", "", true);
}

std::optional<search::FileTask> FileWalk::StandardInput() const {
  if (plan_.output_file) {
    struct stat status;
    if (::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
        IdentityOf(status) == *plan_.output_file) {
      return OutputFailure(plan_.stdin_label);
    }
  }
  search::FileTask task;
  task.path = "-";
  task.label = plan_.stdin_label;
  task.is_stdin = true;
  return task;
}

std::optional<search::FileTask> FileWalk::Operand(const std::string& operand) {
  if (plan_.directories == Directories::kRecurse) {
    if (auto directory = OpenDirectoryAt(AT_FDCWD, operand.c_str(), true)) {
      if (plan_.subdirectories.ExcludesOperand(operand)) return std::nullopt;
      return Push(List(std::move(directory), plan_.follow_links), {}, operand, operand,
                  PrefixOf(operand));
    }
  }
  if (!plan_.files.empty() || !plan_.subdirectories.empty()) {
    struct stat status;
    const bool is_directory = ::stat(operand.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    const NameFilter& filter = is_directory ? plan_.subdirectories : plan_.files;
    // A file that cannot be read is complained about even if it is excluded.
    if (filter.ExcludesOperand(operand) && ::access(operand.c_str(), R_OK) == 0) {
      return std::nullopt;
    }
  }
  if (plan_.output_file && IsOutput(AT_FDCWD, operand.c_str(), true)) {
    return OutputFailure(operand);
  }
  search::FileTask task;
  task.path = operand;
  task.label = operand;
  task.skip_device = plan_.devices == Devices::kSkip;
  task.skip_directory = plan_.directories == Directories::kSkip;
  return task;
}

// Nothing when the entry is passed over, or is a directory that has been entered.
std::optional<search::FileTask> FileWalk::NextEntry() {
  if (!levels_.back().listed.directory && !Reopen(levels_.size() - 1)) {
    const int error = errno;
    Level& level = levels_.back();
    level.next = level.listed.entries.size();
    return Failure(level.prefix.empty() ? "." : level.prefix, error);
  }
  Level& level = levels_.back();
  const std::size_t index = level.next++;
  const DirectoryListing::Entry& entry = level.listed.entries[index];
  switch (entry.kind) {
    case EntryKind::kDirectory:
      return Subdirectory(level, index);
    case EntryKind::kFile:
      return File(level, entry);
    case EntryKind::kDevice:
      if (SkipsFoundDevices()) return std::nullopt;
      return File(level, entry);
    case EntryKind::kLink:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<search::FileTask> FileWalk::Subdirectory(Level& level, std::size_t entry) {
  const std::string name(level.listed.entries.Name(level.listed.entries[entry]));
  if (plan_.subdirectories.ExcludesEntry(name)) return std::nullopt;
  std::string shown = level.prefix + name;
  std::string prefix = shown + '/';
  if (const std::shared_ptr<ListingAhead> ahead = level.ahead.Take(entry)) {
    if (ListedDirectory* const listed = ahead->Wait()) {
      return Push(std::move(*listed), std::move(ahead->below()), name, std::move(shown),
                  std::move(prefix));
    }
  }
  return Enter(level.listed.directory->get(), name, std::move(shown), std::move(prefix),
               plan_.follow_links);
}

std::optional<search::FileTask> FileWalk::File(Level& level, const DirectoryListing::Entry& entry) {
  search::FileTask task;
  task.path = level.listed.entries.Name(entry);
  if (plan_.files.ExcludesEntry(task.path)) return std::nullopt;
  task.label = level.prefix + task.path;
  // The listing's inode number spares a stat of every file; it is that of a link when followed.
  if (plan_.output_file && (plan_.follow_links || entry.inode == plan_.output_file->inode) &&
      IsOutput(level.listed.directory->get(), task.path.c_str(), plan_.follow_links)) {
    return OutputFailure(task.label);
  }
  task.directory_fd = level.listed.directory->get();
  task.directory = level.listed.directory;
  task.follow_symlink = plan_.follow_links;
  task.local_file = level.listed.local && entry.kind == EntryKind::kFile && !plan_.follow_links;
  task.skip_device = SkipsFoundDevices();
  task.skip_directory = true;
  return task;
}

bool FileWalk::SkipsFoundDevices() const {
  return plan_.devices == Devices::kSkip ||
         (plan_.devices == Devices::kReadNamed && !plan_.follow_links);
}

std::optional<search::FileTask> FileWalk::Enter(int parent_fd, const std::string& name,
                                                std::string shown, std::string prefix,
                                                bool follow) {
  OpenDirectory directory = OpenDirectoryAt(parent_fd, name.c_str(), follow);
  if (!directory) return Failure(shown, errno);
  return Push(List(std::move(directory), plan_.follow_links), {}, name, std::move(shown),
              std::move(prefix));
}

std::optional<search::FileTask> FileWalk::Push(ListedDirectory listed, ListingsAhead ahead,
                                               std::string name, std::string shown,
                                               std::string prefix) {
  Level level;
  if (plan_.follow_links) {
    struct stat status;
    if (::fstat(listed.directory->get(), &status) != 0) return Failure(shown, errno);
    level.identity = IdentityOf(status);
    for (const Level& above : levels_) {
      if (above.identity != level.identity) continue;
      if (!plan_.report_loops) return std::nullopt;
      search::FileTask task;
      task.label = shown;
      task.error = shown + ": warning: recursive directory loop";
      task.severity = search::Severity::kNotice;
      return task;
    }
  }
  const int error = listed.error;
  level.listed = std::move(listed);
  level.ahead = std::move(ahead);
  level.name = std::move(name);
  level.prefix = std::move(prefix);
  levels_.push_back(std::move(level));
  if (levels_.size() > kMaxOpenLevels)
    levels_[levels_.size() - 1 - kMaxOpenLevels].listed.directory.reset();
  if (error != 0) return Failure(shown, error);
  return std::nullopt;
}

class FileWalk::Listings final : public Preparation {
 public:
  ~Listings() override {
    for (const auto& listing : claimed) listing->GiveUp();
  }
  void Run() override {
    for (const auto& listing : claimed) listing->Make();
  }

  std::vector<std::shared_ptr<ListingAhead>> claimed;
};

std::unique_ptr<search::FileQueue::Preparation> FileWalk::Prepare() {
  // Where descriptors are short, those that list ahead would be missed by those that open files.
  if (!may_prepare_) may_prepare_ = os::DescriptorLimit() >= kDescriptorsForAhead;
  if (!*may_prepare_) return nullptr;
  std::size_t ahead = 0;
  for (const Level& level : levels_) ahead += level.ahead.count();
  auto listings = std::make_unique<Listings>();
  listings->claimed.reserve(kClaimedAtOnce);  // what is claimed must be listed, or given up
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (!level->listed.directory) break;  // closed for a while, as are those above
    while (ahead + listings->claimed.size() < kMostAhead &&
           listings->claimed.size() < kClaimedAtOnce) {
      auto listing =
          level->ahead.Claim(level->listed, level->next, plan_.subdirectories, plan_.follow_links);
      if (listing == nullptr) break;
      listings->claimed.push_back(std::move(listing));
    }
  }
  if (listings->claimed.empty()) return nullptr;
  return listings;
}

// Opens again what had to be closed on the way down to `level`, and the levels just above it,
// which will be needed next. False with errno set when something is no longer there.
bool FileWalk::Reopen(std::size_t level) {
  std::size_t first = level;
  while (first > 0 && !levels_[first - 1].listed.directory) --first;
  int parent_fd = first == 0 ? AT_FDCWD : levels_[first - 1].listed.directory->get();
  OpenDirectory parent;
  for (std::size_t i = first; i <= level; ++i) {
    parent = OpenDirectoryAt(parent_fd, levels_[i].name.c_str(), i == 0 || plan_.follow_links);
    if (!parent) return false;
    parent_fd = parent->get();
    if (level - i < kMaxOpenLevels / 2) levels_[i].listed.directory = parent;
  }
  return true;
}

bool FileWalk::IsOutput(int directory_fd, const char* name, bool follow) const {
  struct stat status;
  return ::fstatat(directory_fd, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && IdentityOf(status) == *plan_.output_file;
}

}  // namespace mr::walk
