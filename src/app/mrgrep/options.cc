#include "app/mrgrep/options.h"

#include <strings.h>

#include <cerrno>
#include <cinttypes>
#include <sstream>
#include <string_view>

#include "app/mrgrep/text_file.h"

namespace mr::app {
namespace {

using Hint = UsageFailure::Hint;

// A decimal number as strtoimax reads it, white space and sign included; one that is too large is
// the largest. Nothing when anything else is in the text.
std::optional<std::intmax_t> ParseNumber(const std::string& text) {
  char* end = nullptr;
  const std::intmax_t value = std::strtoimax(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return value;
}

std::uint64_t ContextLength(const std::string& text) {
  const std::optional<std::intmax_t> value = ParseNumber(text);
  if (!value || *value < 0) {
    throw UsageFailure(text + ": invalid context length argument", Hint::kNone);
  }
  return static_cast<std::uint64_t>(*value);
}

// -NUM. GNU grep keeps no more than 21 digits, and says so.
std::uint64_t ContextDigits(const std::string& digits) {
  constexpr std::size_t kMostDigits = 21;
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const std::string significant = digits.substr(first);
  if (significant.size() <= kMostDigits) return ContextLength(significant);
  return ContextLength(significant.substr(0, kMostDigits) + "...");
}

std::uint64_t MaxCount(const std::string& text) {
  const std::optional<std::intmax_t> value = ParseNumber(text);
  if (!value) throw UsageFailure("invalid max count", Hint::kNone);
  if (*value < 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(*value);
}

unsigned Threads(const std::string& text) {
  constexpr std::intmax_t kMostThreads = 1024;
  const std::optional<std::intmax_t> value = ParseNumber(text);
  if (!value || *value < 0 || *value > kMostThreads) {
    throw UsageFailure(text + ": invalid number of threads", Hint::kNone);
  }
  return static_cast<unsigned>(*value);
}

search::BinaryFiles BinaryFilesType(const std::string& text) {
  if (text == "binary") return search::BinaryFiles::kBinary;
  if (text == "text") return search::BinaryFiles::kText;
  if (text == "without-match") return search::BinaryFiles::kWithoutMatch;
  throw UsageFailure("unknown binary-files type", Hint::kNone);
}

walk::Devices DevicesMethod(const std::string& text) {
  if (text == "read") return walk::Devices::kRead;
  if (text == "skip") return walk::Devices::kSkip;
  throw UsageFailure("unknown devices method", Hint::kNone);
}

// Abbreviations will do. GNU grep's status for a wrong one is 1.
walk::Directories DirectoriesMethod(const std::string& text, bool utf8) {
  constexpr int kWrongMethodStatus = 1;
  struct Method {
    std::string_view name;
    walk::Directories value;
  };
  constexpr Method kMethods[] = {{"read", walk::Directories::kRead},
                                 {"recurse", walk::Directories::kRecurse},
                                 {"skip", walk::Directories::kSkip}};
  std::optional<walk::Directories> found;
  bool ambiguous = false;
  for (const Method& method : kMethods) {
    if (!method.name.starts_with(text)) continue;
    ambiguous = found.has_value();
    found = method.value;
  }
  if (found && !ambiguous) return *found;
  const auto quote = [&](std::string_view word) {
    return (utf8 ? "\u2018" : "'") + std::string(word) + (utf8 ? "\u2019" : "'");
  };
  std::string message = ambiguous ? "ambiguous argument " : "invalid argument ";
  message += quote(text) + " for " + quote("--directories") + "\nValid arguments are:";
  for (const Method& method : kMethods) message += "\n  - " + quote(method.name);
  throw UsageFailure(message, Hint::kUsage, kWrongMethodStatus);
}

bool IsOneOf(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (::strcasecmp(text.c_str(), word) == 0) return true;
  }
  return false;
}

// An unknown word asks for help, as it does in GNU grep.
void ApplyColor(const std::string& text, GrepOptions& options) {
  if (IsOneOf(text, {"auto", "tty", "if-tty"})) {
    options.color = ColorWhen::kAuto;
  } else if (IsOneOf(text, {"always", "yes", "force"})) {
    options.color = ColorWhen::kAlways;
  } else if (IsOneOf(text, {"never", "no", "none"})) {
    options.color = ColorWhen::kNever;
  } else {
    options.show_help = true;
  }
}

void ApplyStats(const std::string& text, GrepOptions& options) {
  if (text == "text") {
    options.stats = StatsFormat::kText;
  } else if (text == "json") {
    options.stats = StatsFormat::kJson;
  } else {
    throw UsageFailure(text + ": unknown format of --stats", Hint::kNone);
  }
}

// Output is always in path order; the option exists for scripts written for tools that have others.
void CheckSort(const std::string& text) {
  if (text != "path") {
    throw UsageFailure(text + ": unknown sort key", Hint::kNone);
  }
}

void SetSyntax(pattern::Syntax syntax, GrepOptions& options) {
  if (options.syntax && *options.syntax != syntax) {
    throw UsageFailure("conflicting matchers specified", Hint::kNone);
  }
  options.syntax = syntax;
}

pattern::Syntax MatcherNamed(const std::string& name) {
  if (name == "grep") return pattern::Syntax::kBasic;
  if (name == "egrep") return pattern::Syntax::kExtended;
  if (name == "fgrep") return pattern::Syntax::kFixed;
  if (name == "perl") return pattern::Syntax::kPerl;
  throw UsageFailure("invalid matcher " + name, Hint::kNone);
}

io::IoSpec IoSpecNamed(const std::string& text) {
  try {
    return io::ParseIoSpec(text);
  } catch (const io::IoSpecError& error) {
    throw UsageFailure(error.what(), Hint::kNone);
  }
}

io::CachePolicy CachePolicyNamed(const std::string& text) {
  try {
    return io::ParseCachePolicy(text);
  } catch (const io::IoSpecError& error) {
    throw UsageFailure(error.what(), Hint::kNone);
  }
}

std::string WithoutTrailingSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// A glob a line; white space at its end does not belong to it.
void ExcludeFrom(const std::string& path, walk::NameFilter& filter) {
  std::istringstream lines(ReadTextFile(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_last_not_of(" \t\n\v\f\r");
    if (end != std::string::npos) filter.Exclude(line.substr(0, end + 1));
  }
}

void ApplyOption(const TypedOption& option, bool utf8, GrepOptions& options,
                 std::vector<std::string>& warnings) {
  const std::string& value = option.value;
  switch (option.id) {
    case OptionId::kAfterContext:
      options.after_context = ContextLength(value);
      break;
    case OptionId::kBasicRegexp:
      SetSyntax(pattern::Syntax::kBasic, options);
      break;
    case OptionId::kBeforeContext:
      options.before_context = ContextLength(value);
      break;
    case OptionId::kBinary:  // carriage returns are never touched here
      break;
    case OptionId::kBinaryFiles:
      options.binary_files = BinaryFilesType(value);
      break;
    case OptionId::kByteOffset:
      options.byte_offsets = true;
      break;
    case OptionId::kColor:
      ApplyColor(value, options);
      break;
    case OptionId::kContext:
      options.default_context = ContextLength(value);
      break;
    case OptionId::kContextDigits:
      options.default_context = ContextDigits(value);
      break;
    case OptionId::kCount:
      options.count = true;
      break;
    case OptionId::kDebug:
      options.debug = true;
      break;
    case OptionId::kDereferenceRecursive:
      options.walk.follow_links = true;
      options.walk.directories = walk::Directories::kRecurse;
      break;
    case OptionId::kDevices:
      options.walk.devices = DevicesMethod(value);
      break;
    case OptionId::kDirectories:
      options.walk.directories = DirectoriesMethod(value, utf8);
      break;
    case OptionId::kExclude:
      options.walk.files.Exclude(value);
      break;
    case OptionId::kExcludeDir:
      options.walk.subdirectories.Exclude(WithoutTrailingSlashes(value));
      break;
    case OptionId::kExcludeFrom:
      ExcludeFrom(value, options.walk.files);
      break;
    case OptionId::kExtendedRegexp:
      SetSyntax(pattern::Syntax::kExtended, options);
      break;
    case OptionId::kFile:
      options.patterns.AddFile(value);
      break;
    case OptionId::kFilesWithMatches:
      options.list_files = ListFiles::kMatching;
      break;
    case OptionId::kFilesWithoutMatch:
      options.list_files = ListFiles::kNonMatching;
      break;
    case OptionId::kFixedStrings:
      SetSyntax(pattern::Syntax::kFixed, options);
      break;
    case OptionId::kGroupSeparator:
      options.group_separator = value;
      break;
    case OptionId::kHelp:
      options.show_help = true;
      break;
    case OptionId::kIgnoreCase:
    case OptionId::kIgnoreCaseOld:
      options.ignore_case = true;
      break;
    case OptionId::kInclude:
      options.walk.files.Include(value);
      break;
    case OptionId::kInitialTab:
      options.initial_tab = true;
      break;
    case OptionId::kInvertMatch:
      options.invert = true;
      break;
    case OptionId::kCache:
      options.cache = CachePolicyNamed(value);
      break;
    case OptionId::kIo:
      options.io = IoSpecNamed(value);
      break;
    case OptionId::kLabel:
      options.walk.stdin_label = value;
      break;
    case OptionId::kLineBuffered:
      options.line_buffered = true;
      break;
    case OptionId::kLineNumber:
      options.line_numbers = true;
      break;
    case OptionId::kLineRegexp:
      options.match_line = true;
      break;
    case OptionId::kMatcher:
      SetSyntax(MatcherNamed(value), options);
      break;
    case OptionId::kMaxCount:
      options.max_count = MaxCount(value);
      break;
    case OptionId::kMmap:
      options.io = {.mode = io::Mode::kMmap};
      break;
    case OptionId::kNoFilename:
      options.file_names = false;
      break;
    case OptionId::kNoGroupSeparator:
      options.group_separator.reset();
      break;
    case OptionId::kNoIgnoreCase:
      options.ignore_case = false;
      break;
    case OptionId::kNoMessages:
      options.no_messages = true;
      break;
    case OptionId::kNoProgress:
      options.progress = false;
      break;
    case OptionId::kNull:
      options.null_after_name = true;
      break;
    case OptionId::kNullData:
      options.null_data = true;
      break;
    case OptionId::kOnlyMatching:
      options.only_matching = true;
      break;
    case OptionId::kPerlRegexp:
      SetSyntax(pattern::Syntax::kPerl, options);
      break;
    case OptionId::kQuiet:
      options.quiet = true;
      break;
    case OptionId::kRead:
    case OptionId::kNoMmap:
      options.io = {.mode = io::Mode::kRead};
      break;
    case OptionId::kRecursive:
      options.walk.directories = walk::Directories::kRecurse;
      break;
    case OptionId::kRegexp:
      options.patterns.AddText(value);
      break;
    case OptionId::kSort:
      CheckSort(value);
      break;
    case OptionId::kStats:
      ApplyStats(value, options);
      break;
    case OptionId::kText:
      options.binary_files = search::BinaryFiles::kText;
      break;
    case OptionId::kThreads:
      options.threads = Threads(value);
      break;
    case OptionId::kUnixByteOffsets:
      warnings.push_back("warning: --unix-byte-offsets (-u) is obsolete");
      break;
    case OptionId::kVersion:
      options.show_version = true;
      break;
    case OptionId::kWithFilename:
      options.file_names = true;
      break;
    case OptionId::kWithoutMatchBinary:
      options.binary_files = search::BinaryFiles::kWithoutMatch;
      break;
    case OptionId::kWordRegexp:
      options.match_word = true;
      break;
    case OptionId::kWrong:
      throw UsageFailure(value, Hint::kUsage);
  }
}

}  // namespace

void ApplyOptions(const std::vector<TypedOption>& typed, bool utf8, GrepOptions& options,
                  std::vector<std::string>& warnings) {
  for (const TypedOption& option : typed) ApplyOption(option, utf8, options, warnings);
}

}  // namespace mr::app
