#include "search/line_scanner.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "match/ascii_split.h"

namespace mr::search {
namespace {

// A block is looked at several times (NUL bytes, candidates, line numbers): in pieces that stay in
// the second-level cache, only the first look goes to memory.
constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// Compiling a candidate finder costs about as much as the exact engine needs for this many bytes.
constexpr std::uint64_t kFinderFromBytes = std::uint64_t{128} << 10;

const char* FindByte(const char* begin, const char* end, char byte) {
  const void* found = std::memchr(begin, byte, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

}  // namespace

// Written for the vectoriser: byte-wide counters, drained before they can overflow.
__attribute__((target_clones("avx2", "default"))) std::uint64_t CountTerminators(
    std::string_view bytes, char terminator) {
  const char* data = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t total = 0;
  constexpr std::size_t kLanes = 64;
  while (left >= kLanes) {
    const std::size_t rounds = std::min<std::size_t>(left / kLanes, 255);
    std::uint8_t lanes[kLanes] = {};
    for (std::size_t round = 0; round < rounds; ++round, data += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = static_cast<std::uint8_t>(lanes[lane] + (data[lane] == terminator ? 1 : 0));
      }
    }
    for (const std::uint8_t lane : lanes) total += lane;
    left -= rounds * kLanes;
  }
  for (; left > 0; --left, ++data) total += *data == terminator ? 1 : 0;
  return total;
}

// Collects what the scan finds. Offsets are those of the block; a chunk begins at `base`.
class LineScanner::Selection {
 public:
  Selection(const SearchPlan& plan, std::string_view block, std::uint64_t limit, ScanResult& result)
      : plan_(plan),
        block_(block),
        limit_(limit),
        keep_runs_(plan.report == Report::kLines),
        result_(result) {}

  bool full() const { return result_.selected >= limit_; }

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

  void EndChunk() {
    if (plan_.invert && !full()) AddGap(chunk_end_);
  }

  void Finish() {
    if (plan_.line_numbers) {
      CountUpTo(block_.size());
      result_.lines = counted_lines_;
    }
  }

 private:
  // Lines that did not match, up to `end`, when those are wanted.
  void AddGap(std::size_t end) {
    if (end == unmatched_from_) return;
    const std::string_view gap = block_.substr(unmatched_from_, end - unmatched_from_);
    Add(unmatched_from_, end, CountLines(gap));
  }

  std::uint64_t CountLines(std::string_view bytes) const {
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
  ScanResult& result_;
  std::size_t base_ = 0;
  std::size_t chunk_end_ = 0;
  std::size_t unmatched_from_ = 0;
  std::size_t counted_to_ = 0;
  std::uint64_t counted_lines_ = 0;
};

LineScanner::LineScanner(const SearchPlan& plan, const match::Engine& engine)
    : plan_(plan), engine_(engine), matcher_(engine.NewMatcher()) {
  const bool detects = plan.binary_files != BinaryFiles::kText && plan.terminator == '\n';
  const bool shows_nothing = plan.report == Report::kNothing ||
                             plan.report == Report::kFilesWithMatches ||
                             plan.report == Report::kFilesWithoutMatch;
  const bool indifferent = engine.IndifferentToNul() && !plan.invert && shows_nothing &&
                           plan.binary_files != BinaryFiles::kWithoutMatch;
  looks_for_nul_ = detects && !indifferent;
}

const ScanResult& LineScanner::Scan(std::string_view block, std::uint64_t limit) {
  result_.runs.clear();
  result_.selected = 0;
  result_.lines = 0;
  result_.first_selected_end = 0;
  result_.last_selected_end = 0;
  result_.first_nul.reset();
  result_.failure.reset();
  Selection selection(plan_, block, limit, result_);
  for (std::size_t base = 0; base < block.size() && !selection.full() && !result_.failure;) {
    std::size_t end = block.size();
    if (end - base > kChunkBytes) {
      const char* from = block.data() + base + kChunkBytes - 1;
      const char* last = FindByte(from, block.data() + block.size(), plan_.terminator);
      end = std::min(end, static_cast<std::size_t>(last - block.data()) + 1);
    }
    selection.BeginChunk(base, end);
    std::string_view chunk = block.substr(base, end - base);
    scanned_bytes_ += chunk.size();
    if (looks_for_nul_) {
      const char* nul = FindByte(chunk.data(), chunk.data() + chunk.size(), '\0');
      const auto at = static_cast<std::size_t>(nul - chunk.data());
      if (at < chunk.size()) {
        if (!result_.first_nul) result_.first_nul = base + at;
        without_nuls_.assign(chunk);
        std::replace(without_nuls_.begin() + static_cast<std::ptrdiff_t>(at), without_nuls_.end(),
                     '\0', plan_.terminator);
        chunk = without_nuls_;
      }
    }
    ScanMatching(chunk, selection);
    if (!result_.failure) selection.EndChunk();
    base = end;
  }
  selection.Finish();
  return result_;
}

bool LineScanner::UseFinder(std::size_t bytes) {
  if (!asked_for_finder_ && (bytes >= kFinderFromBytes || scanned_bytes_ >= kFinderFromBytes)) {
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

void LineScanner::ScanMatching(std::string_view chunk, Selection& selection) {
  const char* const data = chunk.data();
  const char* const end = data + chunk.size();
  // The line around a place: where it begins (not before `floor`, which begins a line) and ends.
  const auto line_begin = [&](std::size_t at, std::size_t floor) {
    const void* found = ::memrchr(data + floor, plan_.terminator, at - floor);
    return found == nullptr ? floor
                            : static_cast<std::size_t>(static_cast<const char*>(found) - data) + 1;
  };
  const auto line_end = [&](std::size_t at) {
    const char* found = FindByte(data + at, end, plan_.terminator);
    return static_cast<std::size_t>(found - data) + (found == end ? 0 : 1);
  };

  if (UseFinder(chunk.size())) {
    std::size_t decided = 0;  // lines before this are settled
    const bool exact = finder_->exact();
    const bool exact_on_ascii = finder_->exact_on_ascii();
    const auto consider = [&](std::size_t at) {
      if (at < decided) return true;
      const std::size_t begin = line_begin(at, decided);
      decided = line_end(at);
      if (!exact) {
        std::string_view line = chunk.substr(begin, decided - begin);
        if (line.back() == plan_.terminator) line.remove_suffix(1);
        const bool sure = exact_on_ascii && match::IsAscii(line);
        if (!sure && !Confirm(line)) return !result_.failure;
      }
      return selection.Matching(begin, decided);
    };
    try {
      finder_->Scan(chunk, consider);
    } catch (const match::MatchError& error) {
      result_.failure = error.what();
    }
    return;
  }
  for (std::size_t from = 0; from < chunk.size();) {
    std::optional<std::size_t> at;
    try {
      at = matcher_->FindLine(chunk, from);
    } catch (const match::MatchError& error) {
      result_.failure = error.what();
    }
    if (!at) return;
    const std::size_t begin = line_begin(*at, from);
    from = line_end(*at);
    if (!selection.Matching(begin, from)) return;
  }
}

}  // namespace mr::search
