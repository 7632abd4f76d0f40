#include "differential/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace differential {

std::vector<std::string> Case::Arguments() const {
  std::vector<std::string> arguments = options;
  switch (pattern_style) {
    case PatternStyle::kOperand: {
      std::string joined;
      for (const auto& pattern : patterns) {
        if (&pattern != &patterns.front()) joined += '\n';
        joined += pattern;
      }
      // A pattern that looks like an option needs -e, as it would for a person.
      if (joined.starts_with('-')) arguments.emplace_back("-e");
      arguments.push_back(joined);
      break;
    }
    case PatternStyle::kOption:
      for (const auto& pattern : patterns) {
        arguments.emplace_back("-e");
        arguments.push_back(pattern);
      }
      break;
    case PatternStyle::kFile:
      arguments.emplace_back("-f");
      arguments.emplace_back(kPatternFile);
      break;
  }
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  // An argument cannot hold a NUL.
  for (auto& argument : arguments) std::erase(argument, '\0');
  return arguments;
}

std::string Case::PatternFileBytes() const {
  std::string bytes;
  for (const auto& pattern : patterns) bytes += pattern + '\n';
  return bytes;
}

bool Case::HasOption(const std::string& prefix) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.starts_with(prefix); });
}

std::string Quote(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char byte) {
    return byte >= ' ' && byte < 0x7f && byte != '\'';
  });
  if (plain) return "'" + text + "'";
  std::string quoted = "$'";
  for (const unsigned char byte : text) {
    if (byte == '\n') {
      quoted += "\\n";
    } else if (byte == '\'' || byte == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(byte);
    } else if (byte < ' ' || byte >= 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += static_cast<char>(byte);
    }
  }
  return quoted + "'";
}

namespace {

// `text` as an operand of printf, which unlike bash's own quoting can make a NUL.
std::string PrintfFormat(const std::string& text) {
  std::string format = "'";
  for (const unsigned char byte : text) {
    if (byte == '\n') {
      format += "\\n";
    } else if (byte == '%') {
      format += "%%";
    } else if (byte == '\\') {
      format += "\\\\";
    } else if (byte == '\'' || byte < ' ' || byte >= 0x7f) {
      format += fmt::format("\\{:03o}", byte);
    } else {
      format += static_cast<char>(byte);
    }
  }
  return format + "'";
}

}  // namespace

std::string ShellScript(const Case& test_case, const std::string& program,
                        const std::vector<std::string>& leading) {
  constexpr std::size_t kLongestShown = 6000;
  std::string script = "mkdir -p d\n";
  auto show = [&](const std::string& name, const std::string& bytes) {
    if (bytes.size() > kLongestShown) {
      script += fmt::format("# {} holds {} bytes, not shown\n", name, bytes.size());
    } else {
      script += fmt::format("printf {} >{}\n", PrintfFormat(bytes), name);
    }
  };
  for (const auto& file : test_case.files) show(file.name, file.bytes);
  if (test_case.pattern_style == PatternStyle::kFile) {
    show(Case::kPatternFile, test_case.PatternFileBytes());
  }
  script += "LC_ALL=" + test_case.locale + " ";
  if (!test_case.grep_colors.empty()) {
    script += "GREP_COLORS=" + Quote(test_case.grep_colors) + " ";
  }
  script += program;
  for (const auto& argument : leading) script += " " + Quote(argument);
  for (const auto& argument : test_case.Arguments()) script += " " + Quote(argument);
  script += " <" + (test_case.standard_input.empty() ? "/dev/null" : test_case.standard_input);
  if (test_case.one_stream) script += " 2>&1";
  return script + "\n";
}

}  // namespace differential
