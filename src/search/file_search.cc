#include "search/file_search.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "io/lines.h"

namespace mr::search {
namespace {

// Rendered blocks, and their text, that may wait for an earlier one before their workers wait too.
constexpr std::size_t kMaxWaiting = 8;
constexpr std::size_t kMaxWaitingBytes = std::size_t{16} << 20;

// Thrown from within the rendering of a block.
struct BytesLost {};

}  // namespace

FileSearch::FileSearch(const SearchPlan& plan, const std::string& label, std::uint64_t file_bytes,
                       io::BlockSource& source, OrderedOutput::Place& place)
    : plan_(plan), label_(label), source_(source), place_(place) {
  state_.file_bytes = file_bytes;
}

bool FileSearch::Join() {
  std::lock_guard lock(mutex_);
  if (exhausted_ || stopped_) return false;
  ++workers_;
  return true;
}

void FileSearch::Cancel() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  moved_.notify_all();
}

bool FileSearch::Work(Worker& worker) {
  try {
    while (Step(worker)) {
    }
  } catch (...) {
    Cancel();  // others may be waiting for this worker's block
    throw;
  }
  {
    std::lock_guard lock(mutex_);
    exhausted_ = true;
    if (--workers_ > 0 || finished_) return false;
    finished_ = true;
  }
  Summarize(worker);
  return true;
}

bool FileSearch::Step(Worker& worker) {
  {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] {
      return exhausted_ || stopped_ ||
             (waiting_.size() < kMaxWaiting && waiting_bytes_ < kMaxWaitingBytes);
    });
    if (exhausted_ || stopped_) return false;
  }
  const std::unique_ptr<io::BlockLease> lease = source_.Next();
  if (lease == nullptr) {
    std::lock_guard lock(mutex_);
    read_to_end_ = true;
    return false;
  }
  const bool may_show_it = plan_.report == Report::kLines && !lease->reads_again();
  if (!lease->block().fragment.empty() && (may_show_it || !worker.scanner.SearchesPieces())) {
    lease->Hold(label_);
  }
  io::Block block = lease->block();
  ScannedBlock scanned = Scan(worker, *lease, block);
  std::optional<io::Damage> damage;
  // Whether bytes were missing that had been used.
  const auto cut_to_what_is_there = [&] {
    damage = lease->CheckDamage();
    if (!damage || damage->valid_bytes >= block.bytes.size()) return false;
    block.bytes = block.bytes.substr(0, damage->valid_bytes);
    block.fragment = {};
    scanned = Scan(worker, *lease, block);
    return true;
  };
  cut_to_what_is_there();

  Result result;
  const auto render = [&](LineState& state) {
    const LineState before = state;
    while (true) {
      try {
        Render(worker, *lease, scanned, state, result);
      } catch (const BytesLost&) {
        // Lost between scan and copy.
      }
      if (!cut_to_what_is_there()) return;
      state = before;
    }
  };
  LineState state;
  const bool needs_order = worker.renderer.needs_order();
  {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return turn_ == block.index || stopped_; });
    if (stopped_) return false;
    state = state_;
    if (needs_order) {
      lock.unlock();  // the turn is this block's until it is passed on
      render(state);
      lock.lock();
      if (stopped_) return false;
      state_ = state;
    } else {
      worker.renderer.Advance(scanned, state_);
    }
    const std::uint64_t searched_bytes = scanned.end() - block.offset;
    scanned_bytes_ += searched_bytes;
    if (plan_.done_bytes != nullptr) *plan_.done_bytes += searched_bytes;
    if (damage || scanned.scan->failure) state_.ended = true;
    if (block.last) read_to_end_ = true;
    if (state_.ended || block.last) exhausted_ = true;
    ++turn_;
    moved_.notify_all();
  }
  // When bytes are lost now, later blocks have been given a wrong state, but this one ends the
  // file, so they will not be committed.
  if (!needs_order) render(state);
  if (damage) result.error = damage->error;
  Commit(worker, block.index, std::move(result));
  return !block.last;
}

// Renders the block into `result`, which may hold another attempt's text. Throws BytesLost when not
// all of the bytes were there.
void FileSearch::Render(Worker& worker, io::BlockLease& lease, const ScannedBlock& scanned,
                        LineState& state, Result& result) {
  result.rendered = {};
  result.repeated_bytes = result.written_bytes;
  result.failure = scanned.scan->failure;
  RenderedText& text = result.rendered.text;
  const auto write_ahead = [&] {
    const std::optional<io::Damage> damage = lease.CheckDamage();
    if (damage && damage->valid_bytes < scanned.block.bytes.size()) throw BytesLost();
    WriteAhead(worker, scanned.block.index, result);
  };
  text.on_full = std::ref(write_ahead);
  try {
    worker.renderer.Render(label_, scanned, state, result.rendered);
  } catch (const match::MatchError& error) {
    result.failure = error.what();
  }
  text.on_full = nullptr;
}

// Waits until all blocks before `index` are written, and writes what there is of this one. Until it
// is committed itself nobody else writes.
void FileSearch::WriteAhead(const Worker& worker, std::uint64_t index, Result& result) {
  {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return committed_ == index || stopped_; });
    if (stopped_) return result.rendered.text.clear();
  }
  WriteText(worker, result);
}

void FileSearch::WriteText(const Worker& worker, Result& result) {
  std::string_view text = result.rendered.text.bytes();
  const std::size_t repeated =
      static_cast<std::size_t>(std::min<std::uint64_t>(text.size(), result.repeated_bytes));
  text.remove_prefix(repeated);
  result.repeated_bytes -= repeated;
  if (result.rendered.opens_group && plan_.separate_groups && !result.opened_group) {
    place_.WriteGroup(worker.gap.bytes(), text);
    result.opened_group = true;
  } else {
    place_.Write(text);
  }
  result.written_bytes += text.size();
  result.rendered.text.clear();
}

// A line that was searched in pieces becomes part of the block when it is to be shown.
ScannedBlock FileSearch::Scan(Worker& worker, io::BlockLease& lease, io::Block& block) const {
  const ScanResult& scan = worker.scanner.Scan(block, plan_.max_count);
  if (!block.fragment.empty()) {
    const bool selected = worker.scanner.ScanPieces(lease, plan_.max_count);
    if (selected && plan_.report == Report::kLines) {
      lease.Hold(label_);
      block = lease.block();
      worker.scanner.Scan(block, plan_.max_count);
    }
  }
  ScannedBlock scanned{block, &scan, kNowhere};
  std::uint64_t& text_end = scanned.text_end;
  if (scan.first_nul) {
    text_end = io::BinaryWindowOf(block.offset + *scan.first_nul);
  } else if (worker.scanner.LooksForNul() && scanned.end() > block.offset &&
             (scan.selected > 0 || worker.renderer.needs_order())) {
    // A line is text when no NUL is in the window in which it ends, and that may reach beyond the
    // block.
    const std::uint64_t block_end = scanned.end();
    const std::uint64_t window = io::BinaryWindowOf(block_end);
    const bool ends_in_window =
        worker.renderer.needs_order() || block.offset + scan.last_selected_end > window;
    if (window < block_end && ends_in_window && lease.NulFollows(window + io::kBinaryWindowBytes)) {
      text_end = window;
    }
  }
  if (block.zeros_before > 0 && worker.scanner.LooksForNul()) {
    text_end = std::min(text_end, io::BinaryWindowOf(block.offset - block.zeros_before));
  }
  return scanned;
}

void FileSearch::Commit(const Worker& worker, std::uint64_t index, Result result) {
  std::unique_lock lock(mutex_);
  if (committing_ || index != committed_) {  // whoever commits the one before goes on with this one
    waiting_bytes_ += result.rendered.text.size();
    waiting_.emplace(index, std::move(result));
    return;
  }
  committing_ = true;
  while (!stopped_) {
    // The output may make this worker wait for the files before this one, and those must be able
    // to call Join and Cancel meanwhile.
    lock.unlock();
    const bool ends = Apply(worker, result);
    lock.lock();
    stopped_ = stopped_ || ends;
    ++committed_;
    moved_.notify_all();
    if (waiting_.empty() || waiting_.begin()->first != committed_) break;
    result = std::move(waiting_.extract(waiting_.begin()).mapped());
    waiting_bytes_ -= result.rendered.text.size();
  }
  committing_ = false;
}

// Called by the committing worker only, without mutex_. Returns whether the file ends here.
bool FileSearch::Apply(const Worker& worker, Result& result) {
  const Rendered& rendered = result.rendered;
  WriteText(worker, result);
  // A file whose lines are not shown counts as a group too, for the next one.
  if (!rendered.opens_group && rendered.binary && !rendered.without_match &&
      plan_.separate_groups) {
    place_.WriteGroup({}, {});
  }
  selected_ += rendered.selected;
  if (rendered.last_selected_end != 0) last_selected_end_ = rendered.last_selected_end;
  binary_ = binary_ || rendered.binary;
  if (rendered.without_match) selected_ = 0;
  if (result.error) {
    failed_ = true;
    place_.Message(Severity::kFileError, result.error->what());
  }
  if (result.failure) {
    failed_ = engine_failed_ = true;
    place_.Message(Severity::kError, label_ + ": " + *result.failure);
  }
  stopped_by_limit_ = selected_ >= plan_.max_count;
  return rendered.ended || result.error.has_value() || result.failure.has_value();
}

void FileSearch::Summarize(Worker& worker) {
  if (binary_ && plan_.binary_files == BinaryFiles::kBinary)
    place_.Message(Severity::kNotice, label_ + ": binary file matches");
  RenderedText text;
  worker.sink->Finish(FileSummary{label_, selected_, failed_}, text);
  place_.Write(text.bytes());
}

}  // namespace mr::search
