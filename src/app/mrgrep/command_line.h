// What was typed: mrgrep's command line as a list of options in order, not yet interpreted.
#pragma once

#include <string>
#include <vector>

namespace mr::app {

// One for each meaning: --quiet and --silent are one option, -y is its own.
enum class OptionId {
  kAfterContext,
  kBasicRegexp,
  kBeforeContext,
  kBinary,
  kBinaryFiles,
  kByteOffset,
  kColor,
  kContext,
  kContextDigits,  // -NUM; the value is the digits
  kCount,
  kDebug,
  kDereferenceRecursive,
  kDevices,
  kDirectories,
  kExclude,
  kExcludeDir,
  kExcludeFrom,
  kExtendedRegexp,
  kFile,
  kFilesWithMatches,
  kFilesWithoutMatch,
  kFixedStrings,
  kGroupSeparator,
  kHelp,
  kIgnoreCase,
  kIgnoreCaseOld,
  kInclude,
  kInitialTab,
  kInvertMatch,
  kCache,
  kIo,
  kLabel,
  kLineBuffered,
  kLineNumber,
  kLineRegexp,
  kMatcher,
  kMaxCount,
  kMmap,
  kNoFilename,
  kNoGroupSeparator,
  kNoIgnoreCase,
  kNoMessages,
  kNoMmap,
  kNoProgress,
  kNull,
  kNullData,
  kOnlyMatching,
  kPerlRegexp,
  kQuiet,
  kRead,
  kRecursive,
  kRegexp,
  kSort,
  kStats,
  kText,
  kThreads,
  kUnixByteOffsets,
  kVersion,
  kWithFilename,
  kWithoutMatchBinary,
  kWordRegexp,
  kWrong,  // an argument that is no option; the value is the complaint
};

struct TypedOption {
  OptionId id;
  std::string value;  // empty for options that take none
};

struct CommandLine {
  std::vector<TypedOption> options;  // in the order typed
  std::vector<std::string> operands;
};

// Takes the arguments (without the program's name) apart as getopt_long does for GNU grep: bundled
// short options, values in the same or the next argument, unique abbreviations of long options,
// options after operands unless `operands_end_options` (POSIXLY_CORRECT), "--". A wrong argument
// becomes a kWrong in its place and ends the list, so that complaints come in order. Options that
// GNU grep does not have are considered only where GNU grep would see none, and so leave its
// abbreviations as they are. Throws nothing but std::bad_alloc.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments, bool operands_end_options);

}  // namespace mr::app
