// A table as cells of text, and the ways to write it down. Pure.
#pragma once

#include <string>
#include <vector>

namespace mr::lab {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
  // This many columns from the left are words and aligned left; the others are figures.
  int word_columns = 1;
};

std::string ToText(const Table& table);      // columns lined up with spaces
std::string ToMarkdown(const Table& table);  // GitHub's pipe tables
std::string ToCsv(const Table& table);       // RFC 4180, with header, lines ending in \n

}  // namespace mr::lab
