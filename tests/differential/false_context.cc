#include "differential/false_context.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <string_view>

#include "differential/buffer_model.h"
#include "differential/options.h"
#include "differential/rewrite.h"

namespace differential {
namespace {

// What is printed, without separators: those end with a newline whatever lines end with.
std::vector<std::string> ShownLines(const Case& test_case, const std::string& output) {
  const char end = Has(test_case, "-z") ? '\0' : '\n';
  const std::string plain = WithoutColours(output);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t newline = std::min(plain.find('\n', at), plain.size());
    const std::string separator = plain.substr(at, newline - at);
    if (separator == "--" || Has(test_case, "--group-separator=" + separator)) {
      at = newline + 1;
      continue;
    }
    const std::size_t found = std::min(plain.find(end, at), plain.size());
    lines.push_back(plain.substr(at, found - at));
    at = found + 1;
  }
  return lines;
}

bool HasLeadingContext(const Case& test_case) {
  std::string lines = "0";  // of -C, then of -B if there is one
  bool explicitly = false;
  for (const auto& option : test_case.options) {
    if (option.starts_with("-B")) {
      lines = option.substr(2);
      explicitly = true;
    } else if (IsContextOption(option) && !option.starts_with("-A") && !explicitly) {
      lines = option.substr(option.starts_with("-C") ? 2 : 1);
    }
  }
  return lines.find_first_not_of('0') != std::string::npos;
}

// The index of the first selected line, if that is not text.
std::optional<std::size_t> FirstSelected(const Case& alone, const std::vector<std::string>& lines,
                                         Judge& judge) {
  Case selecting = LinesOnly(alone);
  if (Has(alone, "-v")) selecting.options.emplace_back("-v");
  const std::string selected = judge.Reference(selecting).output;
  if (selected.empty()) return std::nullopt;
  const std::size_t first = std::stoul(selected.substr(selected.find(':') + 1)) - 1;
  const bool is_text = first >= lines.size() || (!HasKind(lines[first], CharacterKind::kInvalid) &&
                                                 !HasKind(lines[first], CharacterKind::kBeyond));
  return is_text ? std::nullopt : std::optional(first);
}

bool DifferByFalseContext(const Case& alone, const RunResult& reference, const RunResult& subject,
                          Judge& judge) {
  const bool silent = Has(alone, "-I") || Has(alone, "--binary-files=without-match");
  if (reference.status != subject.status || reference.errors != WithReferenceName(subject.errors) ||
      (!silent && reference.errors.find("binary file matches") == std::string::npos)) {
    return false;
  }
  const std::vector<std::string> lines =
      SplitLines(alone.files[0].bytes, Has(alone, "-z") ? '\0' : '\n');
  const auto first = FirstSelected(alone, lines, judge);
  const std::string output = WithReferenceName(subject.output);
  const auto theirs = ShownLines(alone, reference.output);
  const auto ours = ShownLines(alone, output);
  if (!first || theirs.size() < ours.size()) return false;
  const std::size_t extra = theirs.size() - ours.size();
  if (extra == 0) return theirs == ours && reference.output.ends_with(output);
  // The line directly before it is due where there is leading context.
  if (extra > *first || (extra == *first && HasLeadingContext(alone))) return false;
  const auto from = theirs.begin() + static_cast<std::ptrdiff_t>(extra);
  const auto is_line = [](const std::string& shown, const std::string& line) {
    return shown.ends_with(line);
  };
  // Later buffers may begin with any line.
  constexpr std::size_t kWindow = 96 << 10;
  const bool begins = alone.files[0].bytes.size() > kWindow
                          ? std::all_of(theirs.begin(), from,
                                        [&](const std::string& shown) {
                                          return std::any_of(lines.begin(), lines.end(),
                                                             [&](const std::string& line) {
                                                               return is_line(shown, line);
                                                             });
                                        })
                          : std::equal(theirs.begin(), from, lines.begin(), is_line);
  return begins && std::equal(from, theirs.end(), ours.begin());
}

}  // namespace

std::vector<std::string> SplitLines(const std::string& text, char end) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find(end, at), text.size());
    lines.push_back(text.substr(at, found - at));
    at = found + 1;
  }
  return lines;
}

std::string WithoutColours(const std::string& text) {
  static const std::regex colours("\x1b\\[[0-9;]*[mK]");
  return std::regex_replace(text, colours, "");
}

namespace {

// `explains` is asked about each file alone in which the two differ.
template <typename Explains>
bool HoldsOfEachFile(const Dispute& dispute, Judge& judge, Explains explains) {
  bool any = false;
  for (const auto& file : dispute.test_case.files) {
    Case alone = Without(dispute.test_case,
                         [](const auto& option) { return option == "-r" || option == "-R"; });
    alone.files = {file};
    alone.operands = {file.name};
    alone.standard_input.clear();
    alone.one_stream = false;
    if (judge.Agree(alone)) continue;
    any = true;
    if (!explains(alone, judge.Reference(alone), judge.Subject(alone))) return false;
  }
  return any;
}

}  // namespace

bool FalseContextIsAll(const Dispute& dispute, Judge& judge) {
  return HoldsOfEachFile(
      dispute, judge, [&](const Case& alone, const RunResult& reference, const RunResult& subject) {
        return DifferByFalseContext(alone, reference, subject, judge) ||
               DifferAsTheModelDoes(alone, reference, subject, judge);
      });
}

bool ContextOfBinaryIsAll(const Dispute& dispute, Judge& judge) {
  return HoldsOfEachFile(
      dispute, judge, [&](const Case& alone, const RunResult& reference, const RunResult& subject) {
        const std::string output = WithReferenceName(subject.output);
        if (!TurnsBinary(alone.files[0].bytes) || reference.status != subject.status ||
            reference.errors != WithReferenceName(subject.errors) ||
            !reference.output.starts_with(output)) {
          return false;
        }
        const auto extra = SplitLines(reference.output.substr(output.size()), '\n');
        return static_cast<int>(extra.size()) <= ContextOf(alone).after;
      });
}

bool TurnsBinary(const std::string& bytes) {
  constexpr std::size_t kWindow = 96 << 10;
  const std::size_t nul = bytes.find('\0');
  return nul != std::string::npos && nul >= kWindow;
}

}  // namespace differential
