// From selected lines to bytes: context, line numbers, the limit of -m, and where text ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "io/block.h"
#include "search/line_scanner.h"
#include "search/search.h"
#include "search/sink.h"

namespace mr::search {

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

// What a block must know of all blocks before it. It is handed from block to block in file order;
// everything else about a block can be done beside the others.
struct LineState {
  std::uint64_t lines = 0;              // before this block; with line numbers only
  std::uint64_t selected = 0;           // before this block
  std::uint64_t text_end = kNowhere;    // file offset from which lines are binary
  bool ended = false;                   // nothing behind this point matters
  std::uint64_t file_bytes = kNowhere;  // for Line::file_bytes
  // The rest is for context lines.
  bool group_opened = false;          // a selected line has come, shown or not
  std::uint64_t after_left = 0;       // lines of trailing context still to be shown
  std::uint64_t shown_to = kNowhere;  // file offset behind the last line shown
  std::uint64_t run_to = kNowhere;    // file offset behind the last selected line
  std::uint64_t shown_lines = 0;      // before there; with line numbers only
  std::string unshown;                // from there to this block, where it may be asked for
  std::string history;                // the last lines not shown, at most before_context of them
  std::uint64_t history_lines = 0;
};

// A block and what the scan found in it.
struct ScannedBlock {
  io::Block block;
  const ScanResult* scan = nullptr;
  std::uint64_t text_end = kNowhere;  // file offset: where lines are binary because of this block

  // File offset behind all that was searched.
  std::uint64_t end() const { return block.offset + block.bytes.size() + scan->piece_bytes; }
};

// What a block adds to the results of its file.
struct Rendered {
  RenderedText text;
  std::uint64_t selected = 0;           // lines, within the limit of -m
  std::uint64_t last_selected_end = 0;  // file offset behind the last of them, 0 without any
  bool binary = false;                  // a line could not be shown: "binary file matches"
  bool opens_group = false;             // text begins with the file's first group
  bool without_match = false;           // -I: the file counts as if nothing had been selected
  bool ended = false;                   // the rest of the file does not matter
};

// One per thread; holds no state between blocks.
class Renderer {
 public:
  Renderer(const SearchPlan& plan, Sink& sink);

  // Whether Render has to be called in file order, because lines of one block are shown with those
  // of another. Where not, Advance alone gives the next block its state and Render may come later.
  bool needs_order() const { return needs_order_; }

  // Makes `state` that behind `scanned`.
  void Advance(const ScannedBlock& scanned, LineState& state) const;

  // Renders `scanned` into `rendered`, which is as new but for its text's on_full. With
  // needs_order(), `state` becomes that behind it; otherwise it is the one before it and stays.
  void Render(std::string_view path, const ScannedBlock& scanned, LineState& state,
              Rendered& rendered);

 private:
  class Cursor;
  class ContextPass;

  void Summarize(const ScannedBlock& scanned, const LineState& state, Rendered& rendered);
  std::uint64_t Remaining(const LineState& state) const { return plan_.max_count - state.selected; }
  void RenderRuns(std::string_view path, const ScannedBlock& scanned, const LineState& state,
                  Rendered& rendered);
  void RenderWithContext(std::string_view path, const ScannedBlock& scanned, LineState& state,
                         Rendered& rendered);
  void KeepHistory(std::string_view passed_over, bool afresh, LineState& state) const;

  const SearchPlan& plan_;
  Sink& sink_;
  const bool needs_order_;
};

}  // namespace mr::search
