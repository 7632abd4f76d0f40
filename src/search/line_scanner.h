// Which lines of a block are selected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/block.h"
#include "match/engine.h"
#include "search/search.h"

namespace mr::search {

// Adjacent selected lines: the bytes [begin, end) of the block, terminators included.
struct LineRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t first_line = 0;  // lines of the block before it; only when line numbers are wanted
};

struct ScanResult {
  std::vector<LineRun> runs;   // in order, never touching; only for Report::kLines or with a limit
  std::uint64_t selected = 0;  // lines
  std::uint64_t lines = 0;     // of the whole block; only when the next one's are to be numbered
  std::size_t first_selected_end = 0;    // behind the first selected line, 0 when there is none
  std::size_t last_selected_end = 0;     // behind the last
  std::optional<std::size_t> first_nul;  // only when it matters, see LineScanner::LooksForNul
  std::optional<std::string> failure;    // the engine gave up on the line behind what was found
  // Of the line behind the block, as far as it was searched in pieces. Offsets go on in it.
  std::uint64_t piece_bytes = 0;
};

// Runs the candidate finder and the exact engine over blocks. One per thread; reuse it, since it
// learns from one block how to treat the next.
//
// With binary detection on, a NUL ends a line just as the terminator does: GNU grep replaces the
// NULs of a binary file by newlines before it searches. Such a chunk is searched in a copy.
class LineScanner {
 public:
  LineScanner(const SearchPlan& plan, const match::Engine& engine);

  // The result of the previous call is overwritten. `limit` > 0: lines beyond that many selected
  // ones need not be found.
  const ScanResult& Scan(const io::Block& block, std::uint64_t limit);

  // Whether the engine can search a line in pieces (io::Block::fragment). Where not, the line has
  // to be held.
  bool SearchesPieces();

  // Adds to the result of the last call, which was for the block of `lease`, the line that begins
  // with its fragment, unless that is damaged. Returns whether the line is selected. REQUIRES
  // SearchesPieces().
  bool ScanPieces(io::BlockLease& lease, std::uint64_t limit);

  // Whether first_nul is set for blocks that hold a NUL.
  bool LooksForNul() const { return looks_for_nul_; }

 private:
  class Selection;

  // Where the chunk of `block` that begins at `base` ends.
  std::size_t ChunkEnd(std::string_view block, std::size_t base) const;
  // The chunk begins at `base` of the block.
  void ScanChunk(std::string_view chunk, std::size_t base, Selection& selection);
  // Lines from `settled` on, which begins one, by candidates. Moves `settled` behind the last line
  // that was decided. Returns where a NUL stopped it, else chunk.size().
  std::size_t ScanCandidates(std::string_view chunk, std::size_t& settled, Selection& selection);
  // Lines by the exact engine alone.
  void ScanLines(std::string_view chunk, Selection& selection);
  std::size_t LineBegin(std::string_view chunk, std::size_t floor, std::size_t at) const;
  bool Confirm(std::string_view line);
  bool UseFinder(std::size_t bytes);

  const SearchPlan& plan_;
  const match::Engine& engine_;
  std::unique_ptr<match::Matcher> matcher_;
  std::unique_ptr<match::CandidateFinder> finder_;
  std::unique_ptr<match::PiecewiseMatcher> piecewise_;
  bool asked_for_piecewise_ = false;
  bool asked_for_finder_ = false;
  bool looks_for_nul_;
  const bool ends_with_text_;     // nothing behind a selected line that is no text matters
  const bool skips_empty_lines_;  // they are not selected
  std::uint64_t scanned_bytes_ = 0;
  std::uint64_t block_offset_ = 0;  // in the file
  std::string without_nuls_;
  ScanResult result_;
};

}  // namespace mr::search
