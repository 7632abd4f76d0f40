#include "lab/report/html.h"

#include <fmt/format.h>

#include <cstddef>

namespace mr::lab {
namespace {

// The bytes of the UTF-8 character that `text` begins with, or 0 when it begins with none
// (RFC 3629: no surrogates, nothing longer than needed, nothing beyond U+10FFFF).
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

// Colours are named by what they stand for; a drawing uses the names only.
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1c1e21; --faint: #686c72; --line: #d5d7da; --box: #f2f2ee;
  --less: 21 101 192; --more: 200 83 0; --warn: #8a4b00;
  --arm0: #1565c0; --arm1: #c85300; --arm2: #2e7d32; --arm3: #8e24aa; --arm4: #00838f;
  --arm5: #ad1457;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17191c; --ink: #e6e6e3; --faint: #9ba0a6; --line: #3a3e43; --box: #22252a;
    --less: 100 181 246; --more: 255 167 78; --warn: #ffc470;
    --arm0: #64b5f6; --arm1: #ffa74e; --arm2: #81c784; --arm3: #ce93d8; --arm4: #4dd0e1;
    --arm5: #f48fb1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
figure { margin: 1rem 0; }
figcaption, .faint { color: var(--faint); font-size: .875rem; }
.wide { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 26rem; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .faint { fill: var(--faint); }
svg .grid { stroke: var(--line); fill: none; }
svg .ink { stroke: var(--ink); fill: none; }
svg .box { fill: var(--box); }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
th.word, td.word { text-align: left; }
td.cell { text-align: center; border: 1px solid var(--line); }
pre { overflow-x: auto; padding: .6rem; background: var(--box); font-size: .8rem; }
.warn { color: var(--warn); }
summary { cursor: pointer; margin: .5rem 0; }
)css";

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const char c = text.front();
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (bytes == 0 || control) {
      escaped += "\xEF\xBF\xBD";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\'') {
      escaped += "&#39;";
    } else {
      escaped += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return escaped;
}

std::string HtmlPage(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      EscapeHtml(title), kStyle, body);
}

std::string HtmlSection(std::string_view title, std::string_view body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", EscapeHtml(title), body);
}

std::string HtmlFigure(std::string_view drawing, std::string_view caption) {
  return fmt::format(
      "<figure>\n<div class=\"wide\">{}</div>\n<figcaption>{}</figcaption>\n</figure>\n", drawing,
      EscapeHtml(caption));
}

std::string HtmlTable(const Table& table) {
  std::string html = "<div class=\"wide\"><table>\n";
  const auto append = [&](const std::vector<std::string>& row, std::string_view tag) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool word = static_cast<int>(i) < table.word_columns;
      html +=
          fmt::format("<{0}{1}>{2}</{0}>", tag, word ? " class=\"word\"" : "", EscapeHtml(row[i]));
    }
    html += "</tr>\n";
  };
  append(table.header, "th");
  for (const std::vector<std::string>& row : table.rows) append(row, "td");
  return html + "</table></div>\n";
}

std::string HtmlParagraph(std::string_view text) {
  return fmt::format("<p>{}</p>\n", EscapeHtml(text));
}

std::string HtmlPreformatted(std::string_view text) {
  return fmt::format("<pre>{}</pre>\n", EscapeHtml(text));
}

std::string HtmlDetails(std::string_view summary, std::string_view body) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", EscapeHtml(summary), body);
}

}  // namespace mr::lab
