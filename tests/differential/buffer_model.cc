#include "differential/buffer_model.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "differential/false_context.h"
#include "differential/options.h"
#include "differential/rewrite.h"

namespace differential {
namespace {

constexpr std::size_t kPage = 4 << 10;
constexpr std::size_t kBuffer = 96 << 10;

// A search in progress. Places are indices of the lines that they are in front of.
class Walk {
 public:
  explicit Walk(const BufferModel& model) : model_(model) {}

  std::vector<std::optional<std::size_t>> Run() {
    std::size_t from = 0;
    for (const std::size_t end : model_.windows) {
      SearchWindow(from, end);
      if (pending_ > 0) ShowPending(end);
      if (model_.false_context) TurnTo(end);
      from = end;
      ++window_;
    }
    return std::move(shown_);
  }

 private:
  void SearchWindow(std::size_t from, std::size_t end) {
    for (std::size_t line = from; line < end; ++line) {
      if (!model_.selected[line]) continue;
      if (pending_ > 0) ShowPending(line);
      const std::size_t known = last_shown_.value_or(buffer_);
      std::size_t first = line;
      for (int i = 0; i < model_.context.before && first > known; ++i) --first;
      const bool wanted = model_.context.before >= 0 || model_.context.after >= 0;
      // Adjacent lines of -v are shown together.
      const bool continues = inverted_run_ == line;
      if (wanted && used_ && last_shown_ != first && !continues) shown_.emplace_back();
      for (; first < line; ++first) Show(first);
      if (!Show(line) && !model_.false_context && shown_in_ != window_) last_shown_.reset();
      pending_ = std::max(0, model_.context.after);
      used_ = true;
      if (model_.inverted) inverted_run_ = line + 1;
    }
    inverted_run_.reset();
  }

  // What may be leading context of the next window stays in the buffer.
  void TurnTo(std::size_t end) {
    std::size_t kept = end;
    for (int i = 0; i < model_.context.before && kept > buffer_ && kept != last_shown_; ++i) {
      --kept;
    }
    if (last_shown_ != kept) last_shown_.reset();
    buffer_ = kept;
  }

  void ShowPending(std::size_t end) {
    if (!last_shown_ && !model_.false_context) {
      pending_ = 0;
      return;
    }
    if (!last_shown_) last_shown_ = buffer_;
    while (pending_ > 0 && *last_shown_ < end) pending_ = Show(*last_shown_) ? pending_ - 1 : 0;
  }

  bool Show(std::size_t line) {
    if (!model_.is_text[line]) return false;
    shown_.emplace_back(line);
    last_shown_ = line + 1;
    shown_in_ = window_;
    return true;
  }

  const BufferModel& model_;
  std::vector<std::optional<std::size_t>> shown_;
  std::optional<std::size_t> last_shown_;  // the place behind it
  std::optional<std::size_t> inverted_run_;
  std::size_t window_ = 0;
  std::size_t shown_in_ = 0;  // the window
  std::size_t buffer_ = 0;
  int pending_ = 0;
  bool used_ = false;
};

bool ShowsOtherThanLines(const Case& test_case) {
  static const std::set<std::string> kOthers = {"-o", "-c", "-l", "-L", "-q",
                                                "-z", "-I", "-r", "-R"};
  return std::any_of(test_case.options.begin(), test_case.options.end(), [](const auto& option) {
    return kOthers.count(option) > 0 || IsCountLimit(option) ||
           option.starts_with("--binary-files");
  });
}

// Where the buffer ends. The first read begins on a page of its own, later ones may have one page
// less, behind what stays.
std::vector<std::size_t> Windows(const std::vector<std::string>& lines, bool ends_with_newline,
                                 std::size_t later_bytes) {
  std::vector<std::size_t> windows;
  std::size_t border = kBuffer;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    at += lines[i].size() + 1;
    while (at > border) {
      windows.push_back(i);
      border += later_bytes;
    }
  }
  // A last line without an end is searched by itself.
  if (!ends_with_newline && !lines.empty()) windows.push_back(lines.size() - 1);
  windows.push_back(lines.size());
  return windows;
}

// Whether `shown` is what the model says, however lines are prefixed and coloured.
bool Fits(const BufferModel& model, const std::vector<std::string>& lines,
          const std::string& output, const Case& alone) {
  std::string separator = "--";
  bool has_separator = true;
  for (const auto& option : alone.options) {
    constexpr std::string_view kGiven = "--group-separator=";
    if (option.starts_with(kGiven)) separator = option.substr(kGiven.size());
    if (option == "--no-group-separator") has_separator = false;
  }
  auto expected = model.Shown();
  if (!has_separator) std::erase(expected, std::nullopt);
  const auto shown = SplitLines(WithoutColours(output), '\n');
  return std::equal(shown.begin(), shown.end(), expected.begin(), expected.end(),
                    [&](const std::string& text, const std::optional<std::size_t>& line) {
                      return line ? text.ends_with(lines[*line]) : text == separator;
                    });
}

}  // namespace

ContextLines ContextOf(const Case& test_case) {
  ContextLines context;
  int both = -1;
  for (const auto& option : test_case.options) {
    if (option == "--context") {
      both = 2;
    } else if (option.starts_with("--context=")) {
      both = std::atoi(option.c_str() + 10);
    } else if (option.starts_with("-A")) {
      context.after = std::atoi(option.c_str() + 2);
    } else if (option.starts_with("-B")) {
      context.before = std::atoi(option.c_str() + 2);
    } else if (IsContextOption(option)) {
      both = std::atoi(option.c_str() + (option.starts_with("-C") ? 2 : 1));
    }
  }
  if (context.before < 0) context.before = both;
  if (context.after < 0) context.after = both;
  return context;
}

std::vector<std::optional<std::size_t>> BufferModel::Shown() const { return Walk(*this).Run(); }

bool DifferAsTheModelDoes(const Case& alone, const RunResult& reference, const RunResult& subject,
                          Judge& judge) {
  const std::string& bytes = alone.files[0].bytes;
  if (ShowsOtherThanLines(alone) || bytes.find('\0') != std::string::npos ||
      reference.status != subject.status || reference.errors != WithReferenceName(subject.errors)) {
    return false;
  }
  const auto lines = SplitLines(bytes, '\n');
  BufferModel model;
  model.context = ContextOf(alone);
  model.inverted = Has(alone, "-v");
  for (const auto& line : lines) {
    model.is_text.push_back(!HasKind(line, CharacterKind::kInvalid) &&
                            !HasKind(line, CharacterKind::kBeyond));
  }
  model.selected.resize(lines.size());
  Case selecting = LinesOnly(alone);
  if (model.inverted) selecting.options.emplace_back("-v");
  for (const auto& record : SplitLines(judge.Reference(selecting).output, '\n')) {
    const std::size_t number = std::strtoul(record.c_str() + record.find(':') + 1, nullptr, 10);
    if (number == 0 || number > lines.size()) return false;
    model.selected[number - 1] = true;
  }
  BufferModel right = model;
  right.false_context = false;
  right.windows = Windows(lines, bytes.ends_with('\n'), kBuffer);
  if (!Fits(right, lines, subject.output, alone)) return false;
  for (const std::size_t later : {kBuffer, kBuffer - kPage}) {
    model.windows = Windows(lines, bytes.ends_with('\n'), later);
    if (Fits(model, lines, reference.output, alone)) return true;
  }
  return false;
}

}  // namespace differential
