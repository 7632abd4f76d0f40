#include "search/search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <limits>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "os/stack_overflow.h"
#include "search/file_batches.h"
#include "search/file_opener.h"
#include "search/file_search.h"
#include "search/ordered_output.h"

namespace mr::search {
namespace {

// A file that a worker has opened. Alive as long as somebody works on it.
struct OpenFile : OpenedFile {
  FileTask task;
  std::uint64_t number = 0;  // in the order of the files
  OrderedOutput::Place* place = nullptr;
  bool ends_place = false;  // no other file has it
  std::optional<FileSearch> search;
};

// Pipes, sockets and devices. Those found by recursion are passed over and need no look.
bool MayWait(const FileTask& task) {
  struct stat status;
  if (task.is_stdin) return ::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode);
  if (task.error || task.skip_device) return false;
  return ::fstatat(task.directory_fd, task.path.c_str(), &status, 0) == 0 &&
         !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

SearchPlan Normalized(SearchPlan plan) {
  if (plan.report != Report::kLines && plan.report != Report::kCount) {
    plan.max_count = std::min<std::uint64_t>(plan.max_count, 1);
  }
  plan.threads = std::max(plan.threads, 1U);
  if (plan.report != Report::kLines) {
    plan.line_numbers = false;
    plan.before_context = plan.after_context = 0;
  }
  return plan;
}

// Runs the threads. Files are handed out in order, a few at a time; a thread that finds a large
// file in work helps with that one first.
class Pool {
 public:
  Pool(SearchPlan plan, const match::Engine& engine, FileQueue& files, const SinkFactory& sinks,
       Output& output)
      : plan_(Normalized(std::move(plan))),
        engine_(engine),
        files_(files),
        sinks_(sinks),
        ordered_(output),
        opener_(plan_, engine),
        batches_(files, ordered_, plan_.threads) {}

  Outcome Run();

 private:
  // What a thread does next: a file in work, or some that are to be opened.
  struct Work {
    std::shared_ptr<OpenFile> open;
    FileBatch batch;
    std::unique_ptr<FileQueue::Preparation> preparation;
    std::size_t opening = 0;         // its share of Pool::opening_
    std::uint64_t opened = 0;        // of those
    std::uint64_t opened_bytes = 0;  // in them, up to kSharedFromBytes of each
  };

  void RunThread() noexcept;
  void StartThreads();
  bool Take(Work& work);
  bool TakeFiles(Work& work);
  void SearchBatch(Worker& worker, Work& work, Outcome& outcome);
  void OpenAndSearch(Worker& worker, Work& work, Outcome& outcome);
  bool Open(OpenFile& open);
  void Share(const std::shared_ptr<OpenFile>& open, Work& work);
  void WorkOn(Worker& worker, OpenFile& open, Outcome& outcome);
  void FinishFile(OpenFile& open, Outcome& outcome);
  void FinishStandardInput(const OpenFile& open);
  void Report(OrderedOutput::Place& place, Severity severity, std::string_view text);
  void StopBehind(const OpenFile& open);
  void Stop(std::exception_ptr failure);

  const SearchPlan plan_;
  const match::Engine& engine_;
  FileQueue& files_;
  const SinkFactory& sinks_;
  OrderedOutput ordered_;
  FileOpener opener_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<OpenFile>> shared_;  // large files in work
  FileBatches batches_;
  std::size_t opening_ = 0;  // files handed out of which it is not known yet whether they are large
  std::atomic<std::uint64_t> last_{std::numeric_limits<std::uint64_t>::max()};  // behind it is none
  bool started_ = false;                                                        // the other threads
  bool stopped_ = false;
  std::exception_ptr failure_;
  Outcome outcome_;
  std::vector<std::thread> threads_;
};

Outcome Pool::Run() {
  RunThread();
  for (std::thread& thread : threads_) thread.join();
  if (failure_) std::rethrow_exception(failure_);
  outcome_.totals.cache = opener_.sources().cache_totals();
  return outcome_;
}

void Pool::RunThread() noexcept {
  try {
    Worker worker(plan_, engine_, sinks_);
    Outcome outcome;
    for (Work work; Take(work);) {
      if (work.open) {
        WorkOn(worker, *work.open, outcome);
      } else {
        SearchBatch(worker, work, outcome);
      }
    }
    std::lock_guard lock(mutex_);
    outcome_ += outcome;
  } catch (...) {
    Stop(std::current_exception());
  }
}

// Called with mutex_ held. The first call is the first thread's: there are no others before it.
void Pool::StartThreads() {
  if (started_) return;
  started_ = true;
  for (unsigned i = 1; i < plan_.threads; ++i) {
    try {
      threads_.emplace_back([this] {
        const os::AlternateStack stack;
        RunThread();
      });
    } catch (const std::system_error&) {
      return;  // a limit on processes: those that there are do all the work
    }
  }
}

// False when there is nothing more to do.
bool Pool::Take(Work& work) {
  work.open = nullptr;
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    for (auto open = shared_.begin(); open != shared_.end();) {
      // What was given back before this file comes first: until it is done, so much may have to be
      // kept of this one that all who work on it wait.
      if (batches_.GaveBackBefore((*open)->number)) {
        ++open;
      } else if ((*open)->search->Join()) {
        work.open = *open;
        return true;
      } else {
        open = shared_.erase(open);
      }
    }
    if (TakeFiles(work)) {
      if (started_ && plan_.threads > 1 && !batches_.ended()) work.preparation = files_.Prepare();
      return true;
    }
    if (opening_ == 0) return false;
    changed_.wait(lock);
  }
  return false;
}

// False when there are none. Called with mutex_ held.
bool Pool::TakeFiles(Work& work) {
  work.opened = work.opened_bytes = 0;
  const bool had_ended = batches_.ended();
  const bool taken = batches_.Take(work.batch);
  if (batches_.many()) StartThreads();
  if (batches_.ended() && !had_ended) changed_.notify_all();
  if (!taken) return false;
  work.opening = work.batch.left();
  opening_ += work.opening;
  return true;
}

void Pool::SearchBatch(Worker& worker, Work& work, Outcome& outcome) {
  if (work.preparation) std::exchange(work.preparation, nullptr)->Run();
  ordered_.WaitForRoom(*work.batch.place);
  while (work.batch.left() > 0) OpenAndSearch(worker, work, outcome);
  if (work.batch.place != nullptr) work.batch.place->Finish();
  std::lock_guard lock(mutex_);
  opening_ -= work.opening;
  batches_.NoteOpened(work.opened, work.opened_bytes);
  if (batches_.ended()) changed_.notify_all();
}

void Pool::OpenAndSearch(Worker& worker, Work& work, Outcome& outcome) {
  FileBatch& batch = work.batch;
  const std::uint64_t number = batch.number();
  FileTask task = std::move(batch.tasks[batch.next++]);
  if (number > last_) return;
  // What may wait for input without end is not even opened before its turn: a match before it can
  // end the search.
  const bool due = plan_.threads == 1 || ordered_.IsDue(*batch.place) || !MayWait(task) ||
                   ordered_.WaitForTurn(*batch.place);
  // It may be due because a match has just ended the search.
  if (!due || number > last_) return;
  const auto open = std::make_shared<OpenFile>();
  open->task = std::move(task);
  open->number = number;
  open->place = batch.place;
  if (!Open(*open)) return;
  ++work.opened;
  work.opened_bytes += std::min(open->info.size_bytes, kSharedFromBytes);
  open->search->Join();
  Share(open, work);
  WorkOn(worker, *open, outcome);
}

// Returns false when there is nothing to search; what is to be said about it has been said.
bool Pool::Open(OpenFile& open) {
  const FileTask& task = open.task;
  if (task.error) {
    Report(*open.place, task.severity, *task.error);
    return false;
  }
  try {
    if (!opener_.Open(task, open)) return false;
    if (!open.why.empty()) open.place->Message(Severity::kNotice, task.label + ": " + open.why);
  } catch (const os::IoError& error) {
    if (!task.follow_symlink && error.error_number() == ELOOP) return false;
    Report(*open.place, Severity::kFileError, error.what());
    // A directory is opened but cannot be read; like any file that fails in the middle it has a
    // result, that of what was read.
    if (error.error_number() == EISDIR) {
      RenderedText text;
      sinks_()->Finish(FileSummary{task.label, 0, true}, text);
      open.place->Write(text.bytes());
    }
    return false;
  }
  const bool regular = open.info.kind == os::FileKind::kRegular;
  open.search.emplace(plan_, task.label, regular ? open.info.size_bytes : kNowhere, *open.source,
                      *open.place);
  return true;
}

// Has others help with a large file, and do meanwhile what this thread would have done next: what
// comes behind it can only wait for that.
void Pool::Share(const std::shared_ptr<OpenFile>& open, Work& work) {
  if (plan_.threads == 1 || !open->source->parallel() || open->info.size_bytes < kSharedFromBytes) {
    return;
  }
  std::lock_guard lock(mutex_);
  if (stopped_ || open->number > last_) open->search->Cancel();
  StartThreads();
  shared_.push_back(open);
  open->ends_place = true;
  FileBatch& batch = work.batch;
  OrderedOutput::Place& place = *std::exchange(batch.place, nullptr);
  if (batch.left() > 0) {
    work.opening -= batch.left();
    opening_ -= batch.left();
    batches_.GiveBack(std::exchange(batch, {}), place);
  }
  changed_.notify_all();
}

void Pool::WorkOn(Worker& worker, OpenFile& open, Outcome& outcome) {
  if (open.search->Work(worker)) FinishFile(open, outcome);
}

void Pool::FinishFile(OpenFile& open, Outcome& outcome) {
  const FileSearch& search = *open.search;
  FinishStandardInput(open);
  const std::uint64_t resident_after = opener_.ResidentPages(open);
  const bool found = search.selected() > 0;
  outcome.selected = outcome.selected || found;
  outcome.failed = outcome.failed || search.failed();
  Totals& totals = outcome.totals;
  ++totals.files;
  totals.selected_lines += search.selected();
  totals.bytes += search.scanned_bytes();
  totals.bytes_by_mode[open.source->mode()] += search.scanned_bytes();
  totals.bytes_by_policy[open.source->policy()] += search.scanned_bytes();
  totals.depth += open.source->depth();
  totals.pages_resident_before += open.resident_before;
  totals.pages_resident_after += resident_after;
  totals.pages_unknown += open.pages_unknown;
  const bool last = search.engine_failed() || (found && plan_.report == Report::kNothing);
  if (last) {
    open.place->EndOutput();
    StopBehind(open);
  }
  if (open.ends_place) open.place->Finish();
}

// Where a search leaves standard input matters to whoever reads it next: behind the last selected
// line when -m stopped it, else at its end. So does that of a pipe (whose writer would otherwise be
// killed by SIGPIPE), unless the answer is known before: -q, -l and -m leave at once.
void Pool::FinishStandardInput(const OpenFile& open) {
  if (!open.task.is_stdin || !plan_.position_stdin) return;
  const bool shows_lines = plan_.report == Report::kLines || plan_.report == Report::kCount;
  if (open.search->stopped_by_limit() && (shows_lines || plan_.first_is_limit)) {
    const std::uint64_t position = open.file->StartPosition() + open.search->last_selected_end();
    ::lseek(STDIN_FILENO, static_cast<off_t>(position), SEEK_SET);
  } else if (::lseek(STDIN_FILENO, 0, SEEK_END) < 0 && shows_lines && !open.search->read_to_end()) {
    io::Buffer buffer = opener_.sources().buffers().Take(1 << 16);
    ssize_t got = 0;
    do {
      got = ::read(STDIN_FILENO, buffer.data(), buffer.capacity());
    } while (got > 0 || (got < 0 && errno == EINTR));
  }
}

void Pool::Report(OrderedOutput::Place& place, Severity severity, std::string_view text) {
  place.Message(severity, text);
  if (severity == Severity::kNotice) return;
  std::lock_guard lock(mutex_);
  outcome_.failed = true;
}

// Files before this one are still searched to their end: their messages are due.
void Pool::StopBehind(const OpenFile& open) {
  std::lock_guard lock(mutex_);
  last_ = std::min(last_.load(), open.number);
  batches_.End();
  for (const std::shared_ptr<OpenFile>& other : shared_) {
    if (other->number > open.number) other->search->Cancel();
  }
  changed_.notify_all();
}

void Pool::Stop(std::exception_ptr failure) {
  ordered_.Abandon();
  std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  stopped_ = true;
  for (const std::shared_ptr<OpenFile>& open : shared_) open->search->Cancel();
  changed_.notify_all();
}

}  // namespace

Totals& Totals::operator+=(const Totals& more) {
  files += more.files;
  bytes += more.bytes;
  selected_lines += more.selected_lines;
  for (const auto& [mode, count] : more.bytes_by_mode) bytes_by_mode[mode] += count;
  for (const auto& [policy, count] : more.bytes_by_policy) bytes_by_policy[policy] += count;
  pages_resident_before += more.pages_resident_before;
  pages_resident_after += more.pages_resident_after;
  depth += more.depth;
  cache += more.cache;
  pages_unknown += more.pages_unknown;
  return *this;
}

Outcome& Outcome::operator+=(const Outcome& more) {
  selected = selected || more.selected;
  failed = failed || more.failed;
  totals += more.totals;
  return *this;
}

Outcome Search(const SearchPlan& plan, const match::Engine& engine, FileQueue& files,
               const SinkFactory& sinks, Output& output) {
  return Pool(plan, engine, files, sinks, output).Run();
}

}  // namespace mr::search
