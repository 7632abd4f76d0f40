// What the typed options mean, each taken for itself and in order. How they act together, and with
// the environment, is decided in mrgrep_settings.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/mrgrep/command_line.h"
#include "app/mrgrep/patterns.h"
#include "io/io_spec.h"
#include "pattern/pattern.h"
#include "search/search.h"
#include "walk/file_walk.h"

namespace mr::app {

enum class ColorWhen { kNever, kAlways, kAuto };
enum class ListFiles { kNone, kMatching, kNonMatching };
enum class StatsFormat { kNone, kText, kJson };

struct GrepOptions {
  PatternList patterns;
  std::optional<pattern::Syntax> syntax;
  bool ignore_case = false;
  bool match_word = false;
  bool match_line = false;
  bool invert = false;

  bool count = false;
  ListFiles list_files = ListFiles::kNone;
  bool quiet = false;
  bool only_matching = false;
  std::uint64_t max_count = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::uint64_t> before_context;   // -B
  std::optional<std::uint64_t> after_context;    // -A
  std::optional<std::uint64_t> default_context;  // -C, -NUM: where -A or -B is not given
  std::optional<std::string> group_separator = "--";

  std::optional<bool> file_names;  // -H, -h
  bool line_numbers = false;
  bool byte_offsets = false;
  bool initial_tab = false;
  bool null_after_name = false;
  ColorWhen color = ColorWhen::kNever;
  bool line_buffered = false;
  bool no_messages = false;

  bool null_data = false;
  search::BinaryFiles binary_files = search::BinaryFiles::kBinary;
  walk::WalkPlan walk;  // but for the operands

  io::IoSpec io;
  std::optional<io::CachePolicy> cache;
  unsigned threads = 0;  // 0: as many as there are processors
  StatsFormat stats = StatsFormat::kNone;
  bool debug = false;
  bool progress = true;

  bool show_help = false;
  bool show_version = false;
};

// The command line makes no sense. what() is the message, perhaps of several lines, perhaps empty.
class UsageFailure : public std::runtime_error {
 public:
  enum class Hint { kNone, kUsage };  // whether "Usage: ..." and "Try ..." follow
  UsageFailure(const std::string& message, Hint hint, int status = 2)
      : std::runtime_error(message), hint_(hint), status_(status) {}
  Hint hint() const { return hint_; }
  int status() const { return status_; }

 private:
  Hint hint_;
  int status_;
};

// Applies `typed` to `options` in order; later options win. Warnings (obsolete options) are
// appended to `warnings`, also before a failure. `utf8` says which quotation marks messages use.
// Throws UsageFailure, and os::IoError for a file of patterns or globs that cannot be read.
void ApplyOptions(const std::vector<TypedOption>& typed, bool utf8, GrepOptions& options,
                  std::vector<std::string>& warnings);

}  // namespace mr::app
