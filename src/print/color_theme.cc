#include "print/color_theme.h"

#include <optional>

namespace mr::print {
namespace {

bool IsSgrCharacter(char c) { return c == ';' || ('0' <= c && c <= '9'); }

void Assign(std::string& field, std::optional<std::string_view> value) {
  if (value) field = *value;
}

void ApplyCapability(std::string_view name, std::optional<std::string_view> value,
                     ColorTheme& theme) {
  if (name == "mt") {
    Assign(theme.selected_match, value);
    theme.context_match = theme.selected_match;
  } else if (name == "ms") {
    Assign(theme.selected_match, value);
  } else if (name == "mc") {
    Assign(theme.context_match, value);
  } else if (name == "sl") {
    Assign(theme.selected_line, value);
  } else if (name == "cx") {
    Assign(theme.context_line, value);
  } else if (name == "fn") {
    Assign(theme.file_name, value);
  } else if (name == "ln") {
    Assign(theme.line_number, value);
  } else if (name == "bn") {
    Assign(theme.byte_offset, value);
  } else if (name == "se") {
    Assign(theme.separator, value);
  } else if (name == "rv") {
    theme.reverse = true;
  } else if (name == "ne") {
    theme.erase_line = false;
  }
}

}  // namespace

void ApplyGrepColors(std::string_view text, ColorTheme& theme) {
  while (true) {
    const std::size_t name_end = text.find_first_of(":=");
    const std::string_view name = text.substr(0, name_end);
    std::optional<std::string_view> value;
    std::size_t end = name_end;
    if (name_end != std::string_view::npos && text[name_end] == '=') {
      if (name.empty()) return;
      end = name_end + 1;
      while (end < text.size() && IsSgrCharacter(text[end])) ++end;
      if (end < text.size() && text[end] != ':') return;
      value = text.substr(name_end + 1, end - name_end - 1);
    }
    ApplyCapability(name, value, theme);
    if (end >= text.size()) return;  // npos included
    text.remove_prefix(end + 1);
  }
}

bool IsSgr(std::string_view text) {
  for (const char c : text) {
    if (!IsSgrCharacter(c)) return false;
  }
  return !text.empty();
}

}  // namespace mr::print
