// Which files to search: the operands, and with recursion everything below them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/search.h"
#include "walk/directory.h"
#include "walk/listings_ahead.h"
#include "walk/name_filter.h"

namespace mr::walk {

enum class Directories {
  kRead,     // a directory operand is an error
  kRecurse,  // -r
  kSkip,
};

enum class Devices {
  kReadNamed,  // those among the operands, and with follow_links all
  kRead,
  kSkip,
};

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct WalkPlan {
  // "-" is standard input. When there are none: standard input, or with kRecurse the current
  // directory, whose files are then shown without "./".
  std::vector<std::string> operands;
  std::string stdin_label = "(standard input)";
  Directories directories = Directories::kRead;
  bool follow_links = false;  // -R: links found by recursion too, not only those among the operands
  Devices devices = Devices::kReadNamed;
  NameFilter files;
  NameFilter subdirectories;  // operands that are directories included
  bool report_loops = true;
  // A regular file that must not be searched, because the output goes there.
  std::optional<FileIdentity> output_file;
};

// Hands out the files of the operands in their order, those of a directory in the byte order of
// their paths, whatever order the file system keeps them in. Directories are read when their turn
// comes; memory is proportional to the entries of the directories on the way to the current file,
// and no more than kMaxOpenLevels of them are open at a time; beside these there are the
// directories that Prepare lists before their turn, kMostAhead of them. Not thread-safe: see
// FileQueue.
class FileWalk : public search::FileQueue {
 public:
  static constexpr std::size_t kMaxOpenLevels = 100;
  static constexpr std::size_t kMostAhead = 16;

  explicit FileWalk(WalkPlan plan);

  std::optional<search::FileTask> Next() override;
  // Lists some of the directories that Next will come to.
  std::unique_ptr<Preparation> Prepare() override;

 private:
  struct Level {
    ListedDirectory listed;  // its directory is null while too many are open
    ListingsAhead ahead;
    std::string name;       // as opened from the level above
    std::string prefix;     // of the paths shown: empty or ending in a slash
    FileIdentity identity;  // only with follow_links
    std::size_t next = 0;   // entry
  };
  class Listings;

  std::optional<search::FileTask> NextOperand();
  std::optional<search::FileTask> NextEntry();
  std::optional<search::FileTask> StandardInput() const;
  std::optional<search::FileTask> Operand(const std::string& operand);
  std::optional<search::FileTask> File(Level& level, const DirectoryListing::Entry& entry);
  std::optional<search::FileTask> Subdirectory(Level& level, std::size_t entry);
  std::optional<search::FileTask> Enter(int parent_fd, const std::string& name, std::string shown,
                                        std::string prefix, bool follow);
  std::optional<search::FileTask> Push(ListedDirectory listed, ListingsAhead ahead,
                                       std::string name, std::string shown, std::string prefix);
  bool IsOutput(int directory_fd, const char* name, bool follow) const;
  bool SkipsFoundDevices() const;
  bool Reopen(std::size_t level);

  const WalkPlan plan_;
  std::size_t next_operand_ = 0;
  std::optional<bool> may_prepare_;
  std::vector<Level> levels_;  // from the operand down to the current directory
};

}  // namespace mr::walk
