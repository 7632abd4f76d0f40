#include "app/mrgrep/settings.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "print/color_theme.h"

namespace mr::app {
namespace {

// What standard output is.
struct Destination {
  bool is_null = false;  // /dev/null: nobody will see the lines, so the first one will do
  bool is_terminal = false;
  std::optional<walk::FileIdentity> regular_file;
};

Destination LookAtOutput() {
  Destination destination;
  struct stat status;
  if (::fstat(STDOUT_FILENO, &status) != 0) return destination;
  if (S_ISREG(status.st_mode)) {
    destination.regular_file = {status.st_dev, status.st_ino};
  } else if (S_ISCHR(status.st_mode)) {
    struct stat null_status;
    destination.is_null = ::stat("/dev/null", &null_status) == 0 &&
                          null_status.st_dev == status.st_dev &&
                          null_status.st_ino == status.st_ino;
    destination.is_terminal = !destination.is_null && ::isatty(STDOUT_FILENO) == 1;
  }
  return destination;
}

bool WantsColors(ColorWhen when, const Destination& destination) {
  if (when != ColorWhen::kAuto) return when == ColorWhen::kAlways;
  const char* terminal = std::getenv("TERM");
  return destination.is_terminal && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// GREP_COLOR, the older variable, is warned about only where GREP_COLORS leaves it an effect.
print::ColorTheme ThemeFromEnvironment(std::vector<std::string>& warnings) {
  print::ColorTheme theme;
  const char* old = std::getenv("GREP_COLOR");
  const bool has_old = old != nullptr && print::IsSgr(old);
  const std::string old_color = has_old ? old : theme.selected_match;
  const std::string untouched = "?";  // which no capability can be set to
  theme.selected_match = theme.context_match = untouched;
  if (const char* colors = std::getenv("GREP_COLORS")) print::ApplyGrepColors(colors, theme);
  bool used = false;
  for (std::string* color : {&theme.selected_match, &theme.context_match}) {
    if (*color != untouched) continue;
    *color = old_color;
    used = true;
  }
  if (has_old && used) {
    warnings.push_back("warning: GREP_COLOR='" + old_color +
                       "' is deprecated; use GREP_COLORS='mt=" + old_color + "'");
  }
  return theme;
}

print::Encoding EncodingOf(pattern::Charset charset) {
  switch (charset) {
    case pattern::Charset::kUtf8:
      return print::Encoding::kUtf8;
    case pattern::Charset::kBytes:
      return print::Encoding::kBytes;
    case pattern::Charset::kLocale:
      return print::Encoding::kLocale;
  }
  return print::Encoding::kLocale;
}

// Those that this process may run on: taskset(1) and cpusets count. (The C library's answer costs
// reading a file of /sys.)
unsigned UsableProcessors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

// -q overrides -l and -L, which override -c.
search::Report ReportFor(const GrepOptions& options, const Destination& destination) {
  if (options.quiet) return search::Report::kNothing;
  if (destination.is_null || options.list_files == ListFiles::kMatching) {
    return search::Report::kFilesWithMatches;
  }
  if (options.list_files == ListFiles::kNonMatching) return search::Report::kFilesWithoutMatch;
  return options.count ? search::Report::kCount : search::Report::kLines;
}

// Names are shown with -H, with more than one operand, and for what is found in directories: for
// the only operand of a recursive search that means looking what it is.
bool ShowsNames(const GrepOptions& options, const std::vector<std::string>& operands) {
  if (options.file_names) return *options.file_names;
  if (operands.size() > 1) return true;
  if (options.walk.directories != walk::Directories::kRecurse) return false;
  if (operands.empty()) return true;
  struct stat status;
  const int result =
      operands[0] == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(operands[0].c_str(), &status);
  return result == 0 && S_ISDIR(status.st_mode);
}

print::TextStyle StyleFor(const GrepOptions& options, const std::vector<std::string>& operands,
                          pattern::Charset charset, search::Report report,
                          const Destination& destination, std::vector<std::string>& warnings) {
  print::TextStyle style;
  style.report = report;
  style.silent = options.quiet || destination.is_null;
  style.file_names = ShowsNames(options, operands);
  style.line_numbers = options.line_numbers;
  style.byte_offsets = options.byte_offsets;
  style.initial_tab = options.initial_tab;
  style.null_after_name = options.null_after_name;
  style.only_matching = options.only_matching;
  style.invert = options.invert;
  style.terminator = options.null_data ? '\0' : '\n';
  style.group_separator = options.group_separator;
  if (WantsColors(options.color, destination)) style.colors = ThemeFromEnvironment(warnings);
  style.any_bytes = options.binary_files == search::BinaryFiles::kText;
  style.encoding = EncodingOf(charset);
  return style;
}

search::SearchPlan PlanFor(const GrepOptions& options, search::Report report) {
  search::SearchPlan plan;
  plan.report = report;
  plan.invert = options.invert;
  plan.max_count = options.max_count;
  const std::uint64_t context = options.default_context.value_or(0);
  plan.before_context = options.before_context.value_or(context);
  plan.after_context = options.after_context.value_or(context);
  plan.separate_groups =
      options.group_separator &&
      (options.before_context || options.after_context || options.default_context);
  plan.line_numbers = options.line_numbers;
  // With -v it is the context that holds matches.
  plan.only_matching = options.only_matching && !options.invert;
  plan.binary_files = options.binary_files;
  plan.terminator = options.null_data ? '\0' : '\n';
  plan.threads = options.threads != 0 ? options.threads : UsableProcessors();
  plan.io = options.io;
  plan.cache = options.cache;
  plan.measure_residency = options.stats != StatsFormat::kNone;
  plan.position_stdin = true;
  return plan;
}

}  // namespace

GrepSettings ResolveSettings(GrepOptions options, std::vector<std::string> operands,
                             pattern::Charset charset, std::vector<std::string>& warnings) {
  if (!options.patterns.given()) {
    if (operands.empty()) throw UsageFailure("", UsageFailure::Hint::kUsage);
    options.patterns.AddText(operands.front());
    operands.erase(operands.begin());
  }
  // Without patterns GNU grep selects what -v does not with a pattern that matches every line.
  if (options.patterns.empty()) {
    options.patterns.AddText("");
    options.invert = !options.invert;
    options.match_word = options.match_line = false;
  }
  if (options.io.mode == io::Mode::kMmap &&
      options.cache.value_or(io::CachePolicy::kNormal) != io::CachePolicy::kNormal) {
    throw UsageFailure("mappings cannot spare the page cache: --cache needs another IO mode",
                       UsageFailure::Hint::kNone);
  }
  const Destination destination = LookAtOutput();
  const search::Report report = ReportFor(options, destination);

  GrepSettings settings;
  settings.style = StyleFor(options, operands, charset, report, destination, warnings);
  settings.plan = PlanFor(options, report);
  settings.plan.first_is_limit = destination.is_null && !options.quiet && options.max_count == 1;
  settings.buffering = options.line_buffered || destination.is_terminal
                           ? print::StandardOutput::Buffering::kWrites
                           : print::StandardOutput::Buffering::kBlocks;
  settings.plan.prompt = settings.buffering == print::StandardOutput::Buffering::kWrites;
  settings.plan.explain_io = options.debug;
  settings.quiet = options.quiet;
  settings.no_messages = options.no_messages;
  settings.stats = options.stats;
  settings.debug = options.debug;
  settings.progress = options.progress;

  pattern::Source& source = settings.source;
  source.syntax = options.syntax.value_or(pattern::Syntax::kBasic);
  options.patterns.MoveTo(source);
  source.ignore_case = options.ignore_case;
  source.match_word = options.match_word;
  source.match_line = options.match_line;
  source.charset = charset;
  source.terminator = settings.plan.terminator;
  source.nul_ends_line = options.binary_files != search::BinaryFiles::kText && !options.null_data;

  // As GNU grep does, not even files that are missing are noticed then, and nothing is counted.
  const bool all_match = !source.match_word && !source.match_line &&
                         std::all_of(source.patterns.begin(), source.patterns.end(),
                                     [](const auto& pattern) { return pattern.empty(); });
  const bool no_match = options.max_count == 0 || (options.invert && all_match);
  settings.nothing_can_match = no_match && report != search::Report::kFilesWithoutMatch;

  walk::WalkPlan& walk = settings.walk;
  walk = std::move(options.walk);
  walk.operands = std::move(operands);
  walk.report_loops = !options.no_messages;
  // Lines that reach the file while it is read would be found again, without end; with -m 1 or
  // without lines there is no such danger.
  if (report == search::Report::kLines && options.max_count > 1) {
    walk.output_file = destination.regular_file;
  }
  return settings;
}

}  // namespace mr::app
