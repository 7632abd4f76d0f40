#include "search/line_scanner.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "io/stripes.h"
#include "match/ascii_split.h"
#include "search/line_ends.h"
#include "search/terminators.h"

namespace mr::search {
namespace {

// Most blocks are looked at several times (NUL bytes, candidates, line numbers): in pieces that
// stay in the second-level cache, only the first look goes to memory. Where no line ends for as
// long again, looking for its end would be one look more, and the rest of the block is the piece.
constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// Where one look is enough, the fewer pieces the better, but a finder is to notice soon when it is
// of no use.
constexpr std::size_t kOneLookChunkBytes = std::size_t{1} << 20;

// Compiling a candidate finder costs about as much as the exact engine needs for this many bytes.
constexpr std::uint64_t kFinderFromBytes = std::uint64_t{128} << 10;

const char* FindByte(const char* begin, const char* end, char byte) {
  const void* found = std::memchr(begin, byte, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

bool IsAllZeros(std::string_view bytes) {
  return bytes.front() == '\0' &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

// Collects what the scan finds. Offsets are those of the block; a chunk begins at `base`.
class LineScanner::Selection {
 public:
  Selection(const SearchPlan& plan, std::string_view block, std::uint64_t limit, ScanResult& result)
      : plan_(plan),
        block_(block),
        limit_(limit),
        keep_runs_(plan.report == Report::kLines || plan.max_count != kNoLimit),
        result_(result) {}

  bool full() const {
    return result_.selected >= limit_ || result_.last_selected_end > enough_behind_;
  }

  // One line that ends behind this offset of the block is as good as any number.
  void OneIsEnoughBehind(std::size_t offset) { enough_behind_ = offset; }

  void BeginChunk(std::size_t base, std::size_t end) {
    base_ = base;
    chunk_end_ = end;
    unmatched_from_ = base;
  }

  // The line [begin, end) of the chunk matches the pattern. Returns false when enough are found.
  bool Matching(std::size_t begin, std::size_t end) {
    if (plan_.invert) {
      AddGap(base_ + begin);
      unmatched_from_ = base_ + end;
    } else {
      Add(base_ + begin, base_ + end, 1);
    }
    return !full();
  }

  // As if Matching were called for every line of the chunk.
  void AllMatching() {
    if (!plan_.invert) {
      Add(base_, chunk_end_, LinesIn(block_.substr(base_, chunk_end_ - base_)));
    }
    unmatched_from_ = chunk_end_;
  }

  void EndChunk() {
    if (plan_.invert && !full()) AddGap(chunk_end_);
  }

  void CountAllLines() {
    CountUpTo(block_.size());
    result_.lines = counted_lines_;
  }

 private:
  // Lines that did not match, up to `end`, when those are wanted.
  void AddGap(std::size_t end) {
    if (end == unmatched_from_) return;
    const std::string_view gap = block_.substr(unmatched_from_, end - unmatched_from_);
    Add(unmatched_from_, end, LinesIn(gap));
  }

  std::uint64_t LinesIn(std::string_view bytes) const {
    // In a chunk whose NULs end lines too, they are counted as well.
    std::uint64_t lines = CountTerminators(bytes, plan_.terminator);
    if (result_.first_nul && *result_.first_nul < chunk_end_)
      lines += CountTerminators(bytes, '\0');
    const char last = bytes.back();
    const bool ended = last == plan_.terminator || (last == '\0' && result_.first_nul);
    return lines + (ended ? 0 : 1);
  }

  void Add(std::size_t begin, std::size_t end, std::uint64_t lines) {
    if (result_.selected == 0) {
      const char* from = block_.data() + begin;
      const char* last = FindByte(from, block_.data() + end, plan_.terminator);
      result_.first_selected_end =
          std::min(end, static_cast<std::size_t>(last - block_.data()) + 1);
    }
    result_.selected += lines;
    result_.last_selected_end = end;
    if (!keep_runs_) return;
    if (!result_.runs.empty() && result_.runs.back().end == begin) {
      result_.runs.back().end = end;
      return;
    }
    LineRun run{begin, end, 0};
    if (plan_.line_numbers) {
      CountUpTo(begin);
      run.first_line = counted_lines_;
    }
    result_.runs.push_back(run);
  }

  void CountUpTo(std::size_t offset) {
    counted_lines_ +=
        CountTerminators(block_.substr(counted_to_, offset - counted_to_), plan_.terminator);
    counted_to_ = offset;
  }

  const SearchPlan& plan_;
  const std::string_view block_;
  const std::uint64_t limit_;
  const bool keep_runs_;
  std::size_t enough_behind_ = std::string_view::npos;
  ScanResult& result_;
  std::size_t base_ = 0;
  std::size_t chunk_end_ = 0;
  std::size_t unmatched_from_ = 0;
  std::size_t counted_to_ = 0;
  std::uint64_t counted_lines_ = 0;
};

LineScanner::LineScanner(const SearchPlan& plan, const match::Engine& engine)
    : plan_(plan),
      engine_(engine),
      matcher_(engine.NewMatcher()),
      ends_with_text_(plan.report == Report::kLines && !plan.ShowsNeighbours()),
      skips_empty_lines_(engine.MatchesEmptyLine() == plan.invert) {
  const bool shows_nothing = plan.report == Report::kNothing ||
                             plan.report == Report::kFilesWithMatches ||
                             plan.report == Report::kFilesWithoutMatch;
  const bool indifferent = engine.IndifferentToNul() && !plan.invert && shows_nothing &&
                           plan.binary_files != BinaryFiles::kWithoutMatch;
  looks_for_nul_ = plan.DetectsBinaryFiles() && !indifferent;
}

const ScanResult& LineScanner::Scan(const io::Block& given, std::uint64_t limit) {
  const std::string_view block = given.bytes;
  result_.runs.clear();
  result_.selected = 0;
  result_.lines = 0;
  result_.first_selected_end = 0;
  result_.last_selected_end = 0;
  result_.first_nul.reset();
  result_.failure.reset();
  result_.piece_bytes = 0;
  block_offset_ = given.offset;
  Selection selection(plan_, block, limit, result_);
  for (std::size_t base = 0; base < block.size() && !selection.full() && !result_.failure;) {
    const std::size_t end = ChunkEnd(block, base);
    selection.BeginChunk(base, end);
    ScanChunk(block.substr(base, end - base), base, selection);
    if (!result_.failure) selection.EndChunk();
    base = end;
  }
  if (looks_for_nul_ && !result_.first_nul && (selection.full() || result_.failure)) {
    // The last line is text only when the rest of its window is.
    const std::size_t from = result_.last_selected_end;
    const std::string_view rest = block.substr(from, io::kBinaryWindowBytes);
    const std::size_t nul = rest.find('\0');
    if (nul != std::string_view::npos) result_.first_nul = from + nul;
  }
  if (plan_.line_numbers && !given.last) selection.CountAllLines();
  return result_;
}

bool LineScanner::SearchesPieces() {
  if (!asked_for_piecewise_) piecewise_ = engine_.NewPiecewiseMatcher();
  asked_for_piecewise_ = true;
  return piecewise_ != nullptr;
}

bool LineScanner::ScanPieces(io::BlockLease& lease, std::uint64_t limit) {
  if (result_.failure || result_.selected >= limit) return false;
  // Where the first line is all that is asked for, nobody asks where it ends either.
  const bool one_is_enough = plan_.report != Report::kCount && plan_.report != Report::kLines &&
                             !plan_.first_is_limit &&
                             plan_.binary_files != BinaryFiles::kWithoutMatch;
  const std::size_t begin = lease.block().bytes.size();
  bool ended_by_nul = false;
  bool matches = false;
  try {
    piecewise_->BeginLine();
    std::optional<std::string_view> piece = lease.block().fragment;
    for (; piece; piece = lease.More()) {
      result_.piece_bytes += piece->size();
      const char last = piece->back();
      ended_by_nul = last == '\0' && plan_.DetectsBinaryFiles();
      if (last == plan_.terminator || ended_by_nul) piece->remove_suffix(1);
      matches = matches || piecewise_->Add(*piece);
      if (matches && !plan_.invert && one_is_enough) break;
    }
    matches = matches || piecewise_->EndLine();
  } catch (const match::MatchError& error) {
    result_.failure = error.what();
    return false;
  }
  const std::size_t end = begin + result_.piece_bytes;
  if (ended_by_nul && looks_for_nul_ && !result_.first_nul) result_.first_nul = end - 1;
  if (plan_.line_numbers) ++result_.lines;
  if (matches == plan_.invert || lease.CheckDamage()) return false;
  if (result_.selected++ == 0) result_.first_selected_end = end;
  result_.last_selected_end = end;
  return true;
}

std::size_t LineScanner::ChunkEnd(std::string_view block, std::size_t base) const {
  const bool one_look = finder_ != nullptr && (finder_->stops_at_nul() || !looks_for_nul_) &&
                        !plan_.line_numbers && !plan_.invert;
  const std::size_t bytes = one_look ? kOneLookChunkBytes : kChunkBytes;
  if (block.size() - base <= bytes) return block.size();
  const std::string_view next = block.substr(base + bytes - 1, bytes);
  const std::size_t last = next.find(plan_.terminator);
  return last == std::string_view::npos ? block.size() : base + bytes + last;
}

void LineScanner::ScanChunk(std::string_view chunk, std::size_t base, Selection& selection) {
  scanned_bytes_ += chunk.size();
  std::size_t settled = 0;
  const bool finder_stops = UseFinder(chunk.size()) && finder_->stops_at_nul();
  if (looks_for_nul_ || finder_stops) {
    std::size_t nul = 0;
    if (finder_stops) {
      nul = ScanCandidates(chunk, settled, selection);
      if (nul == chunk.size() || selection.full() || result_.failure) return;
    } else {
      nul = static_cast<std::size_t>(FindByte(chunk.data(), chunk.data() + chunk.size(), '\0') -
                                     chunk.data());
    }
    if (nul < chunk.size()) {
      if (looks_for_nul_ && !result_.first_nul) {
        result_.first_nul = base + nul;
        // The first selected line that is not text ends what is shown of a file.
        if (ends_with_text_) {
          const std::uint64_t text_end = io::BinaryWindowOf(block_offset_ + base + nul);
          selection.OneIsEnoughBehind(text_end - std::min(text_end, block_offset_));
          if (selection.full()) return;
        }
      }
      if (nul == 0 && skips_empty_lines_ && IsAllZeros(chunk)) {
        if (plan_.invert) selection.Matching(0, chunk.size());
        return;
      }
      without_nuls_.assign(chunk);
      std::replace(without_nuls_.begin() + static_cast<std::ptrdiff_t>(nul), without_nuls_.end(),
                   '\0', plan_.terminator);
      chunk = without_nuls_;
    }
  }
  if (engine_.MatchesEveryLine()) {
    selection.AllMatching();
  } else if (UseFinder(chunk.size())) {
    std::size_t to = ScanCandidates(chunk, settled, selection);
    // Where NULs do not matter, a finder that stops at them is sent on.
    while (!looks_for_nul_ && to < chunk.size() && !selection.full() && !result_.failure) {
      settled = std::max(settled, to + 1);
      to = ScanCandidates(chunk, settled, selection);
    }
  } else {
    ScanLines(chunk, selection);
  }
}

bool LineScanner::UseFinder(std::size_t bytes) {
  if (!asked_for_finder_ && (engine_.FinderIsCheap() || bytes >= kFinderFromBytes ||
                             scanned_bytes_ >= kFinderFromBytes)) {
    asked_for_finder_ = true;
    finder_ = engine_.NewCandidateFinder();
  }
  return finder_ != nullptr;
}

bool LineScanner::Confirm(std::string_view line) {
  try {
    return matcher_->Matches(line);
  } catch (const match::MatchError& error) {
    result_.failure = error.what();
    return false;
  }
}

// Where the line around the byte `at` begins: not before `floor`, which begins a line.
std::size_t LineScanner::LineBegin(std::string_view chunk, std::size_t floor,
                                   std::size_t at) const {
  const void* found = ::memrchr(chunk.data() + floor, plan_.terminator, at - floor);
  if (found == nullptr) return floor;
  return static_cast<std::size_t>(static_cast<const char*>(found) - chunk.data()) + 1;
}

std::size_t LineScanner::ScanCandidates(std::string_view chunk, std::size_t& settled,
                                        Selection& selection) {
  const bool exact = finder_->exact();
  const bool exact_on_ascii = finder_->exact_on_ascii();
  const bool stops_at_nul = looks_for_nul_ && finder_->stops_at_nul();
  const std::size_t from = settled;
  std::size_t nul = chunk.size();
  const auto consider = [&](std::size_t candidate) -> std::size_t {
    const std::size_t at = from + candidate;
    if (at < settled) return settled - from;
    const std::size_t end = LineEnd(chunk, at, plan_.terminator);
    if (stops_at_nul) {
      const char* const found = FindByte(chunk.data() + at, chunk.data() + end, '\0');
      nul = static_cast<std::size_t>(found - chunk.data());
      if (nul < end) return match::kStop;
      nul = chunk.size();
    }
    const std::size_t begin = LineBegin(chunk, settled, at);
    settled = end;
    if (!exact) {
      std::string_view line = chunk.substr(begin, end - begin);
      if (line.back() == plan_.terminator) line.remove_suffix(1);
      const bool sure = exact_on_ascii && match::IsAscii(line);
      if (!sure && !Confirm(line)) return result_.failure ? match::kStop : settled - from;
    }
    return selection.Matching(begin, end) ? settled - from : match::kStop;
  };
  try {
    return std::min(nul, from + finder_->Scan(chunk.substr(from), consider));
  } catch (const match::MatchError& error) {
    result_.failure = error.what();
    return chunk.size();
  }
}

void LineScanner::ScanLines(std::string_view chunk, Selection& selection) {
  for (std::size_t from = 0; from < chunk.size();) {
    std::optional<std::size_t> at;
    try {
      at = matcher_->FindLine(chunk, from);
    } catch (const match::MatchError& error) {
      result_.failure = error.what();
    }
    if (!at) return;
    const std::size_t begin = LineBegin(chunk, from, *at);
    from = LineEnd(chunk, *at, plan_.terminator);
    if (!selection.Matching(begin, from)) return;
  }
}

}  // namespace mr::search
