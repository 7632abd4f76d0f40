#include "lab/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace mr::lab {
namespace {

using Row = std::vector<std::string>;

// Characters, not bytes: arms may be named in any script.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string ToText(const Table& table) {
  std::vector<std::size_t> widths(table.header.size(), 0);
  const auto measure = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  };
  measure(table.header);
  for (const Row& row : table.rows) measure(row);

  std::string text;
  const auto append = [&](const Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - Width(row[i]), ' ');
      const bool left = static_cast<int>(i) < table.word_columns;
      if (i > 0) line += "  ";
      line += left ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append(table.header);
  for (const Row& row : table.rows) append(row);
  return text;
}

std::string ToMarkdown(const Table& table) {
  std::string text;
  const auto append = [&](const Row& row) {
    text += "|";
    for (const std::string& cell : row) {
      std::string escaped;
      for (const char c : cell) {
        if (c == '|') escaped += '\\';
        escaped += c;
      }
      text += fmt::format(" {} |", escaped);
    }
    text += "\n";
  };
  append(table.header);
  text += "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    text += static_cast<int>(i) < table.word_columns ? " --- |" : " ---: |";
  }
  text += "\n";
  for (const Row& row : table.rows) append(row);
  return text;
}

std::string ToCsv(const Table& table) {
  std::string text;
  const auto append = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += CsvField(row[i]);
    }
    text += '\n';
  };
  append(table.header);
  for (const Row& row : table.rows) append(row);
  return text;
}

}  // namespace mr::lab
