// The search of many files: which lines are selected, by every core, in file order.
#pragma once

#include <fcntl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "io/cache_totals.h"
#include "io/io_spec.h"
#include "io/read_depth.h"
#include "match/engine.h"
#include "search/sink.h"

namespace mr::search {

// What to do with a file that holds NUL bytes or encoding errors (--binary-files).
enum class BinaryFiles { kBinary, kText, kWithoutMatch };

// What the user wants to see of each file.
enum class Report {
  kLines,
  kCount,              // -c
  kFilesWithMatches,   // -l
  kFilesWithoutMatch,  // -L
  kNothing,            // -q: stop everything at the first selected line
};

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

struct SearchPlan {
  Report report = Report::kLines;
  bool invert = false;                 // -v
  std::uint64_t max_count = kNoLimit;  // -m, selected lines a file
  std::uint64_t before_context = 0;    // -B, lines
  std::uint64_t after_context = 0;     // -A, lines
  bool separate_groups = false;        // Sink::Gap between groups that are not adjacent, also when
                                       // both contexts are 0 (-A 0), and between files
  bool line_numbers = false;           // whether Line::number is needed
  bool only_matching = false;          // -o: context lines are not shown, their gaps are
  BinaryFiles binary_files = BinaryFiles::kBinary;
  char terminator = '\n';  // '\0' with -z
  unsigned threads = 1;
  io::IoSpec io;
  std::optional<io::CachePolicy> cache;
  bool measure_residency = false;  // for --stats: count resident pages before and after
  bool explain_io = false;         // for --debug: a notice for each file says how it is read
  bool prompt =
      false;  // lines of pipes are searched as they come; see io::LineRules::whole_windows
  std::atomic<std::uint64_t>* done_bytes = nullptr;  // grows as files are searched
  // Bytes of all files, for io::SourceRequest.
  std::function<std::uint64_t(std::uint64_t enough)> count_bytes;
  bool position_stdin = false;  // leave a seekable standard input behind the last selected line
  // With a report that needs one line only: -m 1 was given, so it stops where a limit would.
  bool first_is_limit = false;

  // Whether lines are shown together with their neighbours.
  bool ShowsNeighbours() const {
    return report == Report::kLines && (before_context > 0 || after_context > 0 || separate_groups);
  }

  // Whether a NUL byte makes a file binary.
  bool DetectsBinaryFiles() const {
    return binary_files != BinaryFiles::kText && terminator == '\n';
  }
};

// A file to be searched, or the failure to find one (an unreadable directory), in output order.
struct FileTask {
  std::string path;   // as opened, from directory_fd if relative
  std::string label;  // as shown
  int directory_fd = AT_FDCWD;
  std::shared_ptr<const void> directory;  // keeps directory_fd open as long as the task exists
  bool is_stdin = false;
  bool follow_symlink = true;        // false: a symbolic link found by recursion is passed over
  bool skip_device = false;          // devices, FIFOs and sockets are passed over in silence
  bool skip_directory = false;       // directories are passed over in silence
  bool local_file = false;           // listed as a regular file of a local file system
  std::optional<std::string> error;  // the whole message to print instead of searching
  Severity severity = Severity::kFileError;
};

// Hands out the files. Called under a lock, by any thread.
class FileQueue {
 public:
  virtual ~FileQueue() = default;
  virtual std::optional<FileTask> Next() = 0;

  // Work that makes later calls of Next shorter. It is done without the lock, soon, since Next may
  // have to wait for it; or destroyed. Must not outlive the queue.
  class Preparation {
   public:
    virtual ~Preparation() = default;
    virtual void Run() = 0;
  };
  // Null when there is nothing to be done.
  virtual std::unique_ptr<Preparation> Prepare() { return nullptr; }
};

// Sums over all files, for --stats.
struct Totals {
  std::uint64_t files = 0;  // opened and searched
  std::uint64_t bytes = 0;  // given to the scanner
  std::uint64_t selected_lines = 0;
  std::map<std::string_view, std::uint64_t> bytes_by_mode;  // by io::BlockSource::mode
  std::map<io::CachePolicy, std::uint64_t> bytes_by_policy;
  std::uint64_t pages_resident_before = 0;  // of the files searched, when measured
  std::uint64_t pages_resident_after = 0;
  io::ReadDepth depth;
  io::CacheTotals cache;            // when some read was steered around the page cache
  std::uint64_t pages_unknown = 0;  // pages of files whose residency the kernel won't tell

  Totals& operator+=(const Totals& more);
};

struct Outcome {
  bool selected = false;  // a line was selected in some file
  bool failed = false;    // some message of kError or kFileError was due
  Totals totals;

  Outcome& operator+=(const Outcome& more);
};

// Makes a Sink for one thread.
using SinkFactory = std::function<std::unique_ptr<Sink>()>;

// Searches everything `files` yields and writes the results to `output` in the order of `files`,
// whatever plan.threads is. Memory is O(threads x block) plus the longest line that may have to be
// printed, or that the engine cannot search in pieces. Throws
// OutputError as Output::Write does, and nothing for failures of single files: those become
// messages and Outcome::failed.
Outcome Search(const SearchPlan& plan, const match::Engine& engine, FileQueue& files,
               const SinkFactory& sinks, Output& output);

}  // namespace mr::search
