#include "search/renderer.h"

#include <algorithm>
#include <cstring>

#include "io/lines.h"
#include "search/line_ends.h"
#include "search/terminators.h"

namespace mr::search {
namespace {

// Where the `count`th selected line of a block ends; there are more of them.
std::size_t SelectedEnd(const ScannedBlock& scanned, std::uint64_t count, char terminator) {
  std::size_t end = 0;
  for (const LineRun& run : scanned.scan->runs) {
    for (end = run.begin; end < run.end && count > 0; --count) {
      end = scanned.scan->first_nul ? BinaryLineEnd(scanned.block.bytes, end, terminator)
                                    : LineEnd(scanned.block.bytes, end, terminator);
    }
    if (count == 0) break;
  }
  return end;
}

}  // namespace

// Walks forward through one block, showing lines and counting them on the way.
class Renderer::Cursor {
 public:
  Cursor(const SearchPlan& plan, Sink& sink, std::string_view path, const ScannedBlock& scanned,
         const LineState& state, Rendered& rendered)
      : plan_(plan),
        sink_(sink),
        bytes_(scanned.block.bytes),
        text_end_(std::min(state.text_end, scanned.text_end)),
        rendered_(rendered),
        offset_(scanned.block.offset),
        counted_lines_(state.lines) {
    line_.path = path;
    line_.file_bytes = state.file_bytes;
  }

  bool IsText(std::size_t end) const { return offset_ + end <= text_end_; }

  // Shows the line [begin, end), or notes that it cannot be shown. Returns whether it was.
  bool Show(std::size_t begin, std::size_t end, bool selected) {
    if (plan_.line_numbers) {
      if (begin >= counted_to_) {
        counted_lines_ += LinesBetween(counted_to_, begin);
      } else {  // a line that could not be shown is tried again
        counted_lines_ -= LinesBetween(begin, counted_to_);
      }
      counted_to_ = begin;
    }
    if (selected) {
      ++rendered_.selected;
      rendered_.last_selected_end = offset_ + end;
    }
    return Show(WithoutTerminator(bytes_.substr(begin, end - begin), plan_.terminator),
                offset_ + begin, counted_lines_, selected);
  }

  // As above, for a line that lies before the block.
  bool Show(std::string_view text, std::uint64_t offset, std::uint64_t lines_before,
            bool selected) {
    line_.text = text;
    line_.offset = offset;
    line_.number = plan_.line_numbers ? lines_before + 1 : 0;
    line_.selected = selected;
    if (sink_.Accept(line_, rendered_.text) == Flow::kContinue) return true;
    rendered_.binary = true;
    return false;
  }

  // The selected line at `begin` is not text: nothing of the file is shown from here on.
  void EndText(std::size_t begin) {
    ++rendered_.selected;
    rendered_.last_selected_end = offset_ + BinaryLineEnd(bytes_, begin, plan_.terminator);
    rendered_.binary = rendered_.ended = true;
    rendered_.without_match = plan_.binary_files == BinaryFiles::kWithoutMatch;
  }

  // Before the line of the block that was shown last; with line numbers only.
  std::uint64_t lines() const { return counted_lines_; }

  // Continues the count of lines at one that the scan has numbered.
  void JumpTo(std::size_t begin, std::uint64_t lines_before) {
    counted_to_ = begin;
    counted_lines_ = lines_before;
  }

 private:
  std::uint64_t LinesBetween(std::size_t begin, std::size_t end) const {
    return CountTerminators(bytes_.substr(begin, end - begin), plan_.terminator);
  }

  const SearchPlan& plan_;
  Sink& sink_;
  const std::string_view bytes_;
  const std::uint64_t text_end_;
  Rendered& rendered_;
  const std::uint64_t offset_;
  std::size_t counted_to_ = 0;
  std::uint64_t counted_lines_;
  Line line_;
};

Renderer::Renderer(const SearchPlan& plan, Sink& sink)
    : plan_(plan),
      sink_(sink),
      needs_order_(plan.ShowsNeighbours()) {}

void Renderer::Advance(const ScannedBlock& scanned, LineState& state) const {
  if (state.ended) return;
  const ScanResult& scan = *scanned.scan;
  state.text_end = std::min(state.text_end, scanned.text_end);
  if (plan_.binary_files == BinaryFiles::kWithoutMatch) {
    state.ended = state.text_end < scanned.end();
  } else if (plan_.report == Report::kLines && scan.selected > 0) {
    state.ended = scanned.block.offset + scan.last_selected_end > state.text_end;
  }
  state.lines += scan.lines;
  state.selected += std::min(scan.selected, Remaining(state));
  if (Remaining(state) == 0) state.ended = true;
}

void Renderer::Render(std::string_view path, const ScannedBlock& scanned, LineState& state,
                      Rendered& rendered) {
  if (state.ended) {
    rendered.ended = true;
    return;
  }
  if (plan_.report != Report::kLines) {
    Summarize(scanned, state, rendered);
  } else if (needs_order_) {
    RenderWithContext(path, scanned, state, rendered);
  } else {
    RenderRuns(path, scanned, state, rendered);
  }
  if (plan_.binary_files == BinaryFiles::kWithoutMatch && !rendered.ended &&
      std::min(state.text_end, scanned.text_end) < scanned.end()) {
    rendered.without_match = rendered.ended = true;
  }
  if (needs_order_) state.ended = rendered.ended;
}

void Renderer::Summarize(const ScannedBlock& scanned, const LineState& state, Rendered& rendered) {
  const ScanResult& scan = *scanned.scan;
  if (scan.selected == 0) return;
  if (plan_.binary_files == BinaryFiles::kWithoutMatch &&
      scanned.block.offset + scan.first_selected_end > std::min(state.text_end, scanned.text_end)) {
    return;
  }
  rendered.selected = std::min(scan.selected, Remaining(state));
  rendered.ended = rendered.selected == Remaining(state);
  rendered.last_selected_end =
      scanned.block.offset + (scan.selected == rendered.selected
                                  ? scan.last_selected_end
                                  : SelectedEnd(scanned, rendered.selected, plan_.terminator));
}

void Renderer::RenderRuns(std::string_view path, const ScannedBlock& scanned,
                          const LineState& state, Rendered& rendered) {
  const ScanResult& scan = *scanned.scan;
  const std::string_view bytes = scanned.block.bytes;
  const std::uint64_t remaining = Remaining(state);
  const bool limited = scan.selected > remaining;
  Cursor cursor(plan_, sink_, path, scanned, state, rendered);
  for (const LineRun& run : scan.runs) {
    const std::string_view run_bytes = bytes.substr(run.begin, run.end - run.begin);
    if (sink_.copies_lines() && !limited && cursor.IsText(run.end) &&
        (!sink_.checks_text() || sink_.IsText(run_bytes))) {
      rendered.text += run_bytes;
      if (run_bytes.back() != plan_.terminator) rendered.text += plan_.terminator;
      continue;
    }
    cursor.JumpTo(run.begin, state.lines + run.first_line);
    for (std::size_t begin = run.begin; begin < run.end;) {
      const std::size_t end = LineEnd(bytes, begin, plan_.terminator);
      if (!cursor.IsText(end)) {
        cursor.EndText(begin);
        return;
      }
      cursor.Show(begin, end, true);
      if (limited && rendered.selected == remaining) {
        rendered.ended = true;
        return;
      }
      begin = end;
    }
  }
  rendered.selected = scan.selected;
  rendered.ended = scan.selected == remaining;
  if (scan.selected > 0) {
    rendered.last_selected_end = scanned.block.offset + scan.last_selected_end;
  }
}

// Shows the selected lines of a block with those around them.
class Renderer::ContextPass {
 public:
  ContextPass(const SearchPlan& plan, Sink& sink, std::string_view path,
              const ScannedBlock& scanned, LineState& state, Rendered& rendered)
      : plan_(plan),
        sink_(sink),
        bytes_(scanned.block.bytes),
        offset_(scanned.block.offset),
        state_(state),
        rendered_(rendered),
        cursor_(plan, sink, path, scanned, state, rendered) {}

  // Up to `limit` selected lines. False when one of them is not text, which ends the file.
  bool ShowRuns(const std::vector<LineRun>& runs, std::uint64_t& limit) {
    for (const LineRun& run : runs) {
      for (std::size_t begin = run.begin; begin < run.end && limit > 0;) {
        const std::size_t end = LineEnd(bytes_, begin, plan_.terminator);
        if (!cursor_.IsText(end)) {
          ShowTrailing(begin);  // of the lines before it, as far as they are text
          cursor_.EndText(begin);
          return false;
        }
        // The run of lines that -v selects is shown as a whole, but for a last line without an end,
        // as far as GNU grep's buffer holds it, in whatever blocks it comes.
        const bool continues =
            state_.run_to == offset_ + begin && WindowOf(state_.run_to) == WindowOf(offset_ + end);
        const bool alone = !plan_.invert || !IsEnded(end);
        if (!continues || (alone && state_.shown_to != offset_ + begin)) {
          ShowTrailing(begin);
          ShowLeading(begin);
        }
        Show(begin, end, true);
        state_.run_to = offset_ + end;
        state_.after_left = plan_.after_context;
        if (state_.after_left > 0 && IsForgotten(offset_ + end)) {
          state_.shown_to = kNowhere;
          state_.unshown.clear();
          position_ = begin;
        }
        --limit;
        begin = end;
      }
    }
    return true;
  }

  // Trailing context that lies before `limit`. Where it is not text it is left out without a word:
  // only a selected line makes a binary file match.
  void ShowTrailing(std::size_t limit) {
    if (state_.after_left > 0 && state_.shown_to == kNowhere) {
      state_.shown_to = offset_ + position_;
    }
    ShowUnshown();
    while (state_.after_left > 0 && position_ < limit) {
      const std::size_t end = LineEnd(bytes_, position_, plan_.terminator);
      if (!cursor_.IsText(end)) {
        state_.after_left = 0;
        return;
      }
      --state_.after_left;
      Show(position_, end, false);
    }
  }

  // Lines before it are shown or passed over for good.
  std::size_t position() const { return position_; }

  // Keeps what a selected line of the next block that is no text may bring up.
  void KeepUnshown() {
    if (plan_.after_context == 0 || IsForgotten(offset_ + bytes_.size() + 1)) {
      state_.unshown.clear();
    } else if (state_.shown_to >= offset_) {
      state_.unshown = bytes_.substr(
          std::min(bytes_.size(), static_cast<std::size_t>(state_.shown_to - offset_)));
    } else {
      state_.unshown += bytes_;
    }
  }

 private:
  // By the file's offsets; `end` is that of a line.
  static std::uint64_t WindowOf(std::uint64_t end) {
    return end == 0 ? 0 : (end - 1) / io::kBinaryWindowBytes;
  }

  // Whether a selected line that ends at `end` and cannot be shown has no line before it that GNU
  // grep would go on from: it remembers the last one shown as long as that is in its buffer.
  bool IsForgotten(std::uint64_t end) const {
    return state_.shown_to == kNowhere || WindowOf(state_.shown_to) != WindowOf(end);
  }

  // Trailing context that lies before this block.
  void ShowUnshown() {
    while (state_.after_left > 0 && !state_.unshown.empty()) {
      const std::size_t end = LineEnd(state_.unshown, 0, plan_.terminator);
      const std::string_view line = std::string_view(state_.unshown).substr(0, end);
      if (state_.shown_to + end > state_.text_end ||
          !cursor_.Show(WithoutTerminator(line, plan_.terminator), state_.shown_to,
                        state_.shown_lines, false)) {
        state_.after_left = 0;
        return;
      }
      --state_.after_left;
      state_.shown_to += end;
      ++state_.shown_lines;
      state_.unshown.erase(0, end);
    }
  }

  // A line that is no text is not shown, and GNU grep goes on as if it had not been met: it counts
  // as context of the lines behind it and is tried again for each that is due. A last line without
  // an end is searched by itself, behind all others.
  void Show(std::size_t begin, std::size_t end, bool selected) {
    if (!cursor_.Show(begin, end, selected)) {
      if (!IsEnded(end)) {
        position_ = begin;
        state_.unshown.clear();
      }
      return;
    }
    state_.shown_to = offset_ + end;
    state_.shown_lines = cursor_.lines() + 1;
    state_.unshown.clear();
    position_ = end;
  }

  bool IsEnded(std::size_t end) const { return bytes_[end - 1] == plan_.terminator; }

  // Leading context of a selected line at `begin`: the end of what lies before it in this block
  // and, where that is not enough, of the lines kept of earlier ones.
  void ShowLeading(std::size_t begin) {
    std::uint64_t here = 0;
    std::size_t first =
        LastLines(bytes_.substr(0, begin), position_, plan_.before_context, plan_.terminator, here);
    std::uint64_t kept = 0;
    std::string_view history;
    if (position_ == 0 && first == 0 && here < plan_.before_context) {
      history = state_.history;
      if (state_.shown_to <= offset_ && offset_ - state_.shown_to < history.size()) {
        history.remove_prefix(history.size() - static_cast<std::size_t>(offset_ - state_.shown_to));
      }
      history.remove_prefix(
          LastLines(history, 0, plan_.before_context - here, plan_.terminator, kept));
    }
    OpenGroup(offset_ + first - history.size());
    ShowHistory(history, offset_ + first - history.size(), state_.lines - kept);
    while (first < begin) {
      const std::size_t end = LineEnd(bytes_, first, plan_.terminator);
      Show(first, end, false);
      first = end;
    }
  }

  // Nothing can be adjacent to a line that was not shown, so where none of the file has been, each
  // selected line is a group of its own.
  void OpenGroup(std::uint64_t offset) {
    if (!state_.group_opened) {
      rendered_.opens_group = true;
    } else if (state_.shown_to != offset && plan_.separate_groups) {
      sink_.Gap(rendered_.text);
    }
    state_.group_opened = true;
  }

  void ShowHistory(std::string_view history, std::uint64_t offset, std::uint64_t lines_before) {
    for (std::size_t from = 0; from < history.size();) {
      const std::size_t end = LineEnd(history, from, plan_.terminator);
      const std::string_view text =
          WithoutTerminator(history.substr(from, end - from), plan_.terminator);
      if (cursor_.Show(text, offset + from, lines_before++, false)) {
        state_.shown_to = offset + end;
        state_.shown_lines = lines_before;
        state_.unshown = history.substr(end);
      }
      from = end;
    }
  }

  const SearchPlan& plan_;
  Sink& sink_;
  const std::string_view bytes_;
  const std::uint64_t offset_;
  LineState& state_;
  Rendered& rendered_;
  Cursor cursor_;
  std::size_t position_ = 0;
};

void Renderer::RenderWithContext(std::string_view path, const ScannedBlock& scanned,
                                 LineState& state, Rendered& rendered) {
  const std::string_view bytes = scanned.block.bytes;
  state.text_end = std::min(state.text_end, scanned.text_end);
  ContextPass pass(plan_, sink_, path, scanned, state, rendered);
  std::uint64_t remaining = Remaining(state);
  if (!pass.ShowRuns(scanned.scan->runs, remaining)) return;
  pass.ShowTrailing(bytes.size());
  state.selected += rendered.selected;
  rendered.ended = remaining == 0 && state.after_left == 0;

  pass.KeepUnshown();
  KeepHistory(bytes.substr(pass.position()), pass.position() > 0, state);
  state.lines += scanned.scan->lines;
}

// Remembers the last lines that were not shown, for the leading context of the next block.
void Renderer::KeepHistory(std::string_view passed_over, bool afresh, LineState& state) const {
  // Behind the end of the text nothing is shown any more, and lines need not end.
  if (afresh || state.text_end != kNowhere) {
    state.history.clear();
    state.history_lines = 0;
  }
  if (state.text_end != kNowhere) return;
  std::uint64_t kept = 0;
  state.history +=
      passed_over.substr(LastLines(passed_over, 0, plan_.before_context, plan_.terminator, kept));
  state.history_lines += kept;
  if (state.history_lines > plan_.before_context) {
    state.history.erase(0, LastLines(state.history, 0, plan_.before_context, plan_.terminator,
                                     state.history_lines));
  }
}

}  // namespace mr::search
