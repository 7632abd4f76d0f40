// Which files a thread opens next, and how many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/ordered_output.h"
#include "search/search.h"

namespace mr::search {

// Below this a file is one thread's. Of many files a thread takes about as much at once.
constexpr std::uint64_t kSharedFromBytes = std::uint64_t{1} << 20;

// Files that follow each other, with one place in the output.
struct FileBatch {
  std::vector<FileTask> tasks;
  std::size_t next = 0;            // of them
  std::uint64_t first_number = 0;  // of tasks[0], in the order of all files
  OrderedOutput::Place* place = nullptr;

  std::size_t left() const { return tasks.size() - next; }
  std::uint64_t number() const { return first_number + next; }
};

// Hands out the files of a queue in their order. Not thread-safe. `files` and `output` must outlive
// it.
class FileBatches {
 public:
  FileBatches(FileQueue& files, OrderedOutput& output, unsigned threads)
      : files_(files), output_(output), threads_(threads) {}

  // Fills `batch`; false when there is nothing left.
  bool Take(FileBatch& batch);

  // Hands out the rest of a batch once more, before what comes behind it. Its place is just behind
  // `place`.
  void GiveBack(FileBatch rest, OrderedOutput::Place& place);

  // Whether something given back comes before the file of that number.
  bool GaveBackBefore(std::uint64_t number) const {
    return !given_back_.empty() && given_back_.back().number() < number;
  }

  // Of files that were handed out: how many have been opened, and their bytes, up to
  // kSharedFromBytes of each.
  void NoteOpened(std::uint64_t files, std::uint64_t bytes);

  // Whether there is enough to do for several threads.
  bool many() const;

  // No other files come from the queue.
  void End() { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  std::uint64_t FilesAtOnce() const;
  std::size_t DirectoriesAtOnce();

  FileQueue& files_;
  OrderedOutput& output_;
  const unsigned threads_;
  std::vector<FileBatch> given_back_;  // the first one last
  std::uint64_t taken_ = 0;            // files from the queue
  std::uint64_t opened_ = 0;           // of those, for their mean size
  std::uint64_t opened_bytes_ = 0;
  std::size_t directories_at_once_ = 0;  // not known yet
  bool ended_ = false;
};

}  // namespace mr::search
