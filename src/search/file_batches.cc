#include "search/file_batches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "os/descriptor.h"

namespace mr::search {
namespace {

// Starting a thread costs more than searching this many small files, or kSharedFromBytes in fewer.
constexpr std::uint64_t kFilesWithoutThreads = 64;

// How many files a thread takes at most: enough that threads seldom meet, so few that none is left
// with much to do at the end.
constexpr std::uint64_t kFilesAtOnce = 64;

// They may lie in so many directories, where the limit on descriptors leaves so many of them for
// each: most are for files, the walk, and io_uring.
constexpr std::uint64_t kFewestDirectories = 2;
constexpr std::uint64_t kDirectoriesAtOnce = 8;
constexpr std::uint64_t kDescriptorsForDirectory = 8;

}  // namespace

std::uint64_t FileBatches::FilesAtOnce() const {
  if (taken_ < kFilesWithoutThreads) return 1;
  return std::clamp(kSharedFromBytes * opened_ / std::max<std::uint64_t>(opened_bytes_, 1),
                    std::uint64_t{1}, kFilesAtOnce);
}

// Each of them is open as long as a file of it is waiting.
std::size_t FileBatches::DirectoriesAtOnce() {
  if (directories_at_once_ == 0) {
    directories_at_once_ = static_cast<std::size_t>(
        std::clamp(os::DescriptorLimit() / (kDescriptorsForDirectory * threads_),
                   kFewestDirectories, kDirectoriesAtOnce));
  }
  return directories_at_once_;
}

bool FileBatches::many() const {
  return taken_ >= kFilesWithoutThreads || opened_bytes_ >= kSharedFromBytes;
}

void FileBatches::NoteOpened(std::uint64_t files, std::uint64_t bytes) {
  opened_ += files;
  opened_bytes_ += bytes;
}

bool FileBatches::Take(FileBatch& batch) {
  if (!given_back_.empty()) {
    batch = std::move(given_back_.back());
    given_back_.pop_back();
    return true;
  }
  batch.tasks.clear();
  batch.next = 0;
  batch.first_number = taken_;
  const std::uint64_t most = FilesAtOnce();
  const std::size_t most_directories = most == 1 ? kFewestDirectories : DirectoriesAtOnce();
  std::size_t directories = 0;
  const void* last_directory = nullptr;
  while (!ended_ && batch.tasks.size() < most && directories < most_directories) {
    std::optional<FileTask> task = files_.Next();
    if (!task) {
      ended_ = true;
      break;
    }
    if (task->directory.get() != last_directory) {
      last_directory = task->directory.get();
      ++directories;
    }
    batch.tasks.push_back(std::move(*task));
    ++taken_;
  }
  if (batch.tasks.empty()) return false;
  batch.place = output_.Append();
  return true;
}

void FileBatches::GiveBack(FileBatch rest, OrderedOutput::Place& place) {
  const auto behind =
      std::find_if(given_back_.begin(), given_back_.end(),
                   [&](const FileBatch& other) { return other.number() < rest.number(); });
  rest.place = output_.AppendTo(place);
  given_back_.insert(behind, std::move(rest));
}

}  // namespace mr::search
