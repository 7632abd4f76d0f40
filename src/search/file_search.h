// The search of one file by any number of threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "io/block.h"
#include "match/engine.h"
#include "search/line_scanner.h"
#include "search/ordered_output.h"
#include "search/renderer.h"
#include "search/search.h"

namespace mr::search {

// What one thread needs, made once and used for every file.
class Worker {
 public:
  Worker(const SearchPlan& plan, const match::Engine& engine, const SinkFactory& sinks)
      : scanner(plan, engine), sink(sinks()), renderer(plan, *sink) {
    sink->Gap(gap);
  }

  LineScanner scanner;
  std::unique_ptr<Sink> sink;
  Renderer renderer;
  RenderedText gap;  // what separates groups
};

// Each block passes four stations:
//   scan    beside all others,
//   turn    in file order: takes over the LineState, leaves the next block its own (short),
//   render  beside all others again, unless context ties the blocks together,
//   commit  in file order: the text goes to the output, and it is decided whether to go on.
// A block whose bytes turn out not to have been there (BlockLease::CheckDamage) is done again up to
// where they were, and ends the file. One that makes much more text than it has bytes is written
// while it is rendered, once all blocks before it are.
//
// Thread-safe. Workers call Join, then Work, which leaves by itself.
class FileSearch {
 public:
  // `label` is the file's name in the output. All but `file_bytes`, which is for Line::file_bytes,
  // must outlive it.
  FileSearch(const SearchPlan& plan, const std::string& label, std::uint64_t file_bytes,
             io::BlockSource& source, OrderedOutput::Place& place);

  // Registers the calling worker; false when there is nothing left to take.
  bool Join();

  // Takes blocks until there are none left. The last worker to leave writes the summary: then the
  // result is true, once. Throws what Output::Write throws, and std::bad_alloc, after which the
  // search as a whole must be given up; the file's other workers leave then.
  bool Work(Worker& worker);

  // After Work has returned true.
  std::uint64_t selected() const { return selected_; }
  std::uint64_t scanned_bytes() const { return scanned_bytes_; }
  bool failed() const { return failed_; }
  std::uint64_t last_selected_end() const { return last_selected_end_; }  // file offset, or 0
  bool stopped_by_limit() const { return stopped_by_limit_; }
  bool read_to_end() const { return read_to_end_; }      // no block was left
  bool engine_failed() const { return engine_failed_; }  // the engine's message has been given

  // Makes workers leave at their next block; the file is not finished then.
  void Cancel();

 private:
  struct Result {
    Rendered rendered;
    std::optional<os::IoError> error;    // behind this block the file cannot be read
    std::optional<std::string> failure;  // the engine gave up
    // Of text that was written before it was the block's turn to be committed.
    std::uint64_t written_bytes = 0;
    std::uint64_t repeated_bytes = 0;  // of it, what is still to come again in `rendered`
    bool opened_group = false;         // it began with the file's first group
  };

  bool Step(Worker& worker);
  ScannedBlock Scan(Worker& worker, io::BlockLease& lease, io::Block& block) const;
  void Render(Worker& worker, io::BlockLease& lease, const ScannedBlock& scanned, LineState& state,
              Result& result);
  void WriteAhead(const Worker& worker, std::uint64_t index, Result& result);
  void WriteText(const Worker& worker, Result& result);
  void Commit(const Worker& worker, std::uint64_t index, Result result);
  bool Apply(const Worker& worker, Result& result);
  void Summarize(Worker& worker);

  const SearchPlan& plan_;
  const std::string& label_;
  io::BlockSource& source_;
  OrderedOutput::Place& place_;

  std::mutex mutex_;
  std::condition_variable moved_;
  unsigned workers_ = 0;
  bool exhausted_ = false;    // no block is to be taken any more
  bool read_to_end_ = false;  // there is no block any more
  bool stopped_ = false;      // what is not committed yet will not be
  bool finished_ = false;
  LineState state_;
  std::uint64_t turn_ = 0;                   // the block whose turn it is
  std::uint64_t committed_ = 0;              // blocks before this one are
  std::map<std::uint64_t, Result> waiting_;  // for an earlier block
  std::size_t waiting_bytes_ = 0;            // of their text
  bool committing_ = false;                  // a worker is writing, without mutex_
  std::uint64_t scanned_bytes_ = 0;
  // The rest is the committing worker's.
  std::uint64_t selected_ = 0;
  std::uint64_t last_selected_end_ = 0;
  bool binary_ = false;
  bool failed_ = false;
  bool stopped_by_limit_ = false;
  bool engine_failed_ = false;
};

}  // namespace mr::search
