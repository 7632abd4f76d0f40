// Pieces of a report as a web page: one file that needs nothing else, neither network nor scripts,
// follows the reader's choice of light or dark, and fits a narrow window. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lab/report/table.h"

namespace mr::lab {

// Text that stands for itself in HTML and SVG, also in attributes. Bytes that are no UTF-8 become
// the replacement character, since a page is UTF-8.
std::string EscapeHtml(std::string_view text);

// The whole page. `body` is HTML and begins with its own <h1>.
std::string HtmlPage(std::string_view title, std::string_view body);

// <h2> and what is below it.
std::string HtmlSection(std::string_view title, std::string_view body);
// A figure with a sentence below it; wide drawings scroll within it.
std::string HtmlFigure(std::string_view drawing, std::string_view caption);
// Scrolls within its own width.
std::string HtmlTable(const Table& table);
std::string HtmlParagraph(std::string_view text);  // of plain text
std::string HtmlPreformatted(std::string_view text);
// Closed until it is clicked.
std::string HtmlDetails(std::string_view summary, std::string_view body);

}  // namespace mr::lab
