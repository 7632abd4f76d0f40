#include "print/text_printer.h"

#include <charconv>
#include <utility>

namespace mr::print {
namespace {

constexpr char kSelectedSeparator = ':';
constexpr char kContextSeparator = '-';

ColorTheme NoColors() {
  ColorTheme theme;
  theme.selected_match.clear();
  theme.context_match.clear();
  theme.file_name.clear();
  theme.line_number.clear();
  theme.byte_offset.clear();
  theme.separator.clear();
  return theme;
}

char SeparatorFor(const search::Line& line) {
  return line.selected ? kSelectedSeparator : kContextSeparator;
}

// Columns for the numbers of a file under -T: those of the greatest offset, and of the greatest
// line number if there are any. Where the size is unknown it is taken for the greatest off_t.
unsigned NumberWidth(const search::Line& line, bool line_numbers) {
  constexpr std::uint64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  std::uint64_t number = std::min(line.file_bytes, kGreatest);
  if (line_numbers && number < kGreatest) ++number;
  unsigned width = 1;
  while (number /= 10) ++width;
  return width;
}

}  // namespace

TextPrinter::TextPrinter(const TextStyle& style, std::unique_ptr<match::Matcher> matcher)
    : style_(style),
      theme_(style.colors ? *style.colors : NoColors()),
      color_begin_(theme_.erase_line ? "m\33[K" : "m"),
      color_end_(theme_.erase_line ? "\33[m\33[K" : "\33[m"),
      matcher_(std::move(matcher)) {}

bool TextPrinter::copies_lines() const {
  return !style_.file_names && !style_.line_numbers && !style_.byte_offsets &&
         !style_.only_matching && !style_.colors;
}

bool TextPrinter::checks_text() const {
  return !style_.any_bytes && style_.encoding != Encoding::kBytes;
}

bool TextPrinter::IsText(std::string_view bytes) const {
  return print::IsText(bytes, style_.encoding);
}

search::Flow TextPrinter::Accept(const search::Line& line, search::RenderedText& out) {
  // What -v selects holds no match, the context around it does.
  const bool holds_match = line.selected != style_.invert;
  if (style_.only_matching) {
    return holds_match ? AppendMatches(line, out) : search::Flow::kContinue;
  }
  if (!AppendHead(line, 0, line.text.size(), out)) return search::Flow::kNotText;
  if (style_.colors) {
    AppendColored(line, out);
  } else {
    out += line.text;
  }
  out += style_.terminator;
  return search::Flow::kContinue;
}

// Everything in front of text[begin, begin + size). False, with nothing appended, when that text
// cannot be shown.
bool TextPrinter::AppendHead(const search::Line& line, std::size_t begin, std::size_t size,
                             search::RenderedText& out) const {
  if (checks_text() && !IsText(line.text.substr(begin, size))) return false;
  const char separator = SeparatorFor(line);
  const unsigned width = style_.initial_tab ? NumberWidth(line, style_.line_numbers) : 0;
  if (style_.file_names) AppendName(line.path, separator, out);
  if (style_.line_numbers) {
    AppendNumber(line.number, width, theme_.line_number, out);
    AppendPainted(theme_.separator, {&separator, 1}, out);
  }
  if (style_.byte_offsets) {
    AppendNumber(line.offset + begin, width, theme_.byte_offset, out);
    AppendPainted(theme_.separator, {&separator, 1}, out);
  }
  if (style_.initial_tab && size > 0 &&
      (style_.file_names || style_.line_numbers || style_.byte_offsets)) {
    out += '\t';
  }
  return true;
}

// -o: every match that is not empty, on a line of its own.
search::Flow TextPrinter::AppendMatches(const search::Line& line, search::RenderedText& out) {
  search::Flow flow = search::Flow::kContinue;
  const std::string_view color = line.selected ? theme_.selected_match : theme_.context_match;
  for (std::size_t from = 0; from <= line.text.size();) {
    const std::optional<match::Span> span = matcher_->Find(line.text, from);
    if (!span) break;
    if (span->begin == span->end) {
      from = span->end + 1;
      continue;
    }
    const std::size_t size = span->end - span->begin;
    // An encoding error hides the rest of this line, as in GNU grep.
    if (!AppendHead(line, span->begin, size, out)) {
      flow = search::Flow::kNotText;
      break;
    }
    AppendPainted(color, line.text.substr(span->begin, size), out);
    out += style_.terminator;
    from = span->end;
  }
  return flow;
}

// The text with its matches and, if the theme wants it, the rest of it painted. The order of
// escape sequences is GNU grep's to the byte: text between matches opens the line's colour and
// leaves it to the match to change it; what follows the last match is closed; a carriage return at
// the end stays outside.
void TextPrinter::AppendColored(const search::Line& line, search::RenderedText& out) {
  const std::string_view text = line.text;
  const bool holds_match = line.selected != style_.invert;
  const std::string_view line_color = line.selected != (style_.invert && theme_.reverse)
                                          ? theme_.selected_line
                                          : theme_.context_line;
  const std::string_view match_color = line.selected ? theme_.selected_match : theme_.context_match;

  std::size_t shown = 0;  // text[0, shown) has been appended
  if (holds_match && !match_color.empty()) {
    for (std::size_t from = 0; from <= text.size();) {
      const std::optional<match::Span> span = matcher_->Find(text, from);
      if (!span) break;
      if (span->begin == span->end) {
        from = span->end + 1;
        continue;
      }
      AppendColor(line_color, out);
      out += text.substr(shown, span->begin - shown);
      AppendPainted(match_color, text.substr(span->begin, span->end - span->begin), out);
      shown = from = span->end;
    }
  }
  std::string_view tail = text.substr(shown);
  if (!line_color.empty()) {
    const std::size_t painted = tail.ends_with('\r') ? tail.size() - 1 : tail.size();
    if (painted > 0) AppendPainted(line_color, tail.substr(0, painted), out);
    tail.remove_prefix(painted);
  }
  out += tail;
}

void TextPrinter::Gap(search::RenderedText& out) {
  if (!style_.group_separator) return;
  AppendPainted(theme_.separator, *style_.group_separator, out);
  out += '\n';
}

void TextPrinter::Finish(const search::FileSummary& summary, search::RenderedText& out) {
  if (style_.silent) return;
  switch (style_.report) {
    case search::Report::kCount:
      if (style_.file_names) AppendName(summary.path, kSelectedSeparator, out);
      AppendNumber(summary.selected_lines, 0, {}, out);
      out += '\n';
      break;
    case search::Report::kFilesWithMatches:
    case search::Report::kFilesWithoutMatch: {
      const bool wanted = style_.report == search::Report::kFilesWithMatches;
      if ((summary.selected_lines > 0) != wanted) break;
      AppendPainted(theme_.file_name, summary.path, out);
      out += style_.null_after_name ? '\0' : '\n';
      break;
    }
    case search::Report::kLines:
    case search::Report::kNothing:
      break;
  }
}

void TextPrinter::AppendColor(std::string_view color, search::RenderedText& out) const {
  if (color.empty()) return;
  out += "\33[";
  out += color;
  out += color_begin_;
}

void TextPrinter::AppendColorEnd(std::string_view color, search::RenderedText& out) const {
  if (!color.empty()) out += color_end_;
}

void TextPrinter::AppendPainted(std::string_view color, std::string_view text,
                                search::RenderedText& out) const {
  AppendColor(color, out);
  out += text;
  AppendColorEnd(color, out);
}

void TextPrinter::AppendNumber(std::uint64_t number, unsigned width, std::string_view color,
                               search::RenderedText& out) const {
  char digits[20];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const auto size = static_cast<unsigned>(end - digits);
  AppendColor(color, out);
  for (unsigned i = size; i < width; ++i) out += ' ';
  out += std::string_view(digits, size);
  AppendColorEnd(color, out);
}

void TextPrinter::AppendName(std::string_view path, char separator,
                             search::RenderedText& out) const {
  AppendPainted(theme_.file_name, path, out);
  if (style_.null_after_name) {
    out += '\0';
  } else {
    AppendPainted(theme_.separator, {&separator, 1}, out);
  }
}

}  // namespace mr::print
