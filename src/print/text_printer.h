// Selected lines as GNU grep prints them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "match/matcher.h"
#include "print/color_theme.h"
#include "print/text_check.h"
#include "search/search.h"
#include "search/sink.h"

namespace mr::print {

// How a line looks. Plain data, shared read-only by the printers of all threads.
struct TextStyle {
  search::Report report = search::Report::kLines;
  bool silent = false;           // nothing at all, whatever the report (-q, output to /dev/null)
  bool file_names = false;       // -H
  bool line_numbers = false;     // -n
  bool byte_offsets = false;     // -b
  bool initial_tab = false;      // -T
  bool null_after_name = false;  // -Z
  bool only_matching = false;    // -o
  bool invert = false;           // -v: context lines are those that match
  char terminator = '\n';        // '\0' with -z
  std::optional<std::string> group_separator = "--";
  std::optional<ColorTheme> colors;  // set: coloured output
  bool any_bytes = false;            // -a: lines with encoding errors are shown too
  Encoding encoding = Encoding::kUtf8;

  // Whether a printer has to find the matches inside the lines that it is given.
  bool NeedsMatcher() const { return only_matching || colors.has_value(); }
};

// Stateless but for its Matcher, and so one for each thread. `style` must outlive it.
class TextPrinter : public search::Sink {
 public:
  // `matcher` may be null unless style.NeedsMatcher().
  TextPrinter(const TextStyle& style, std::unique_ptr<match::Matcher> matcher);

  // Throws match::MatchError as the Matcher does.
  search::Flow Accept(const search::Line& line, search::RenderedText& out) override;
  void Gap(search::RenderedText& out) override;
  void Finish(const search::FileSummary& summary, search::RenderedText& out) override;

  bool copies_lines() const override;
  bool checks_text() const override;
  bool IsText(std::string_view bytes) const override;

 private:
  bool AppendHead(const search::Line& line, std::size_t begin, std::size_t size,
                  search::RenderedText& out) const;
  search::Flow AppendMatches(const search::Line& line, search::RenderedText& out);
  void AppendColored(const search::Line& line, search::RenderedText& out);
  void AppendColor(std::string_view color, search::RenderedText& out) const;
  void AppendColorEnd(std::string_view color, search::RenderedText& out) const;
  void AppendPainted(std::string_view color, std::string_view text,
                     search::RenderedText& out) const;
  void AppendNumber(std::uint64_t number, unsigned width, std::string_view color,
                    search::RenderedText& out) const;
  void AppendName(std::string_view path, char separator, search::RenderedText& out) const;

  const TextStyle& style_;
  const ColorTheme theme_;  // empty strings when there are no colours
  std::string color_begin_;
  std::string color_end_;
  std::unique_ptr<match::Matcher> matcher_;
};

}  // namespace mr::print
