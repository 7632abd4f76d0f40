#include "app/mrgrep_command_line.h"

#include <algorithm>
#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/option.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <map>
#include <optional>
#include <utility>

// Boost.Program_options holds the table of names, finds abbreviations, and splits the arguments
// into options and operands in order. Its own parsing of one option (version 1.74) differs from
// getopt_long where it matters: an option with an implicit value swallows the next operand,
// "--regexp=" is rejected for its empty value, and so is "-e -v" because -v looks like an option.
// An extra_style_parser, which Boost asks before its own, therefore takes everything that begins
// with a dash.

namespace mr::app {
namespace {

namespace po = boost::program_options;

enum class Takes { kNothing, kValue, kMaybeValue };

struct Known {
  const char* names;  // as Boost writes them: long names, then the short one
  Takes takes;
  OptionId id;
  const char* value = "";  // with kMaybeValue: what it is when none is given
};

// GNU grep's, in the order in which it lists the candidates for an ambiguous abbreviation.
constexpr Known kGnuOptions[] = {
    {"basic-regexp,G", Takes::kNothing, OptionId::kBasicRegexp},
    {"extended-regexp,E", Takes::kNothing, OptionId::kExtendedRegexp},
    {"fixed-regexp,fixed-strings,F", Takes::kNothing, OptionId::kFixedStrings},
    {"perl-regexp,P", Takes::kNothing, OptionId::kPerlRegexp},
    {"after-context,A", Takes::kValue, OptionId::kAfterContext},
    {"before-context,B", Takes::kValue, OptionId::kBeforeContext},
    {"binary-files", Takes::kValue, OptionId::kBinaryFiles},
    {"byte-offset,b", Takes::kNothing, OptionId::kByteOffset},
    {"context,C", Takes::kValue, OptionId::kContext},
    {"color,colour", Takes::kMaybeValue, OptionId::kColor, "auto"},
    {"count,c", Takes::kNothing, OptionId::kCount},
    {"devices,D", Takes::kValue, OptionId::kDevices},
    {"directories,d", Takes::kValue, OptionId::kDirectories},
    {"exclude", Takes::kValue, OptionId::kExclude},
    {"exclude-from", Takes::kValue, OptionId::kExcludeFrom},
    {"exclude-dir", Takes::kValue, OptionId::kExcludeDir},
    {"file,f", Takes::kValue, OptionId::kFile},
    {"files-with-matches,l", Takes::kNothing, OptionId::kFilesWithMatches},
    {"files-without-match,L", Takes::kNothing, OptionId::kFilesWithoutMatch},
    {"group-separator", Takes::kValue, OptionId::kGroupSeparator},
    {"help", Takes::kNothing, OptionId::kHelp},
    {"include", Takes::kValue, OptionId::kInclude},
    {"ignore-case,i", Takes::kNothing, OptionId::kIgnoreCase},
    {"no-ignore-case", Takes::kNothing, OptionId::kNoIgnoreCase},
    {"initial-tab,T", Takes::kNothing, OptionId::kInitialTab},
    {"label", Takes::kValue, OptionId::kLabel},
    {"line-buffered", Takes::kNothing, OptionId::kLineBuffered},
    {"line-number,n", Takes::kNothing, OptionId::kLineNumber},
    {"line-regexp,x", Takes::kNothing, OptionId::kLineRegexp},
    {"max-count,m", Takes::kValue, OptionId::kMaxCount},
    {"no-filename,h", Takes::kNothing, OptionId::kNoFilename},
    {"no-group-separator", Takes::kNothing, OptionId::kNoGroupSeparator},
    {"no-messages,s", Takes::kNothing, OptionId::kNoMessages},
    {"null,Z", Takes::kNothing, OptionId::kNull},
    {"null-data,z", Takes::kNothing, OptionId::kNullData},
    {"only-matching,o", Takes::kNothing, OptionId::kOnlyMatching},
    {"quiet,silent,q", Takes::kNothing, OptionId::kQuiet},
    {"recursive,r", Takes::kNothing, OptionId::kRecursive},
    {"dereference-recursive,R", Takes::kNothing, OptionId::kDereferenceRecursive},
    {"regexp,e", Takes::kValue, OptionId::kRegexp},
    {"invert-match,v", Takes::kNothing, OptionId::kInvertMatch},
    {"text,a", Takes::kNothing, OptionId::kText},
    {"binary,U", Takes::kNothing, OptionId::kBinary},
    {"unix-byte-offsets,u", Takes::kNothing, OptionId::kUnixByteOffsets},
    {"version,V", Takes::kNothing, OptionId::kVersion},
    {"with-filename,H", Takes::kNothing, OptionId::kWithFilename},
    {"word-regexp,w", Takes::kNothing, OptionId::kWordRegexp},
    {",I", Takes::kNothing, OptionId::kWithoutMatchBinary},
    {",X", Takes::kValue, OptionId::kMatcher},
    {",y", Takes::kNothing, OptionId::kIgnoreCaseOld},
};

constexpr Known kOwnOptions[] = {
    {"debug", Takes::kNothing, OptionId::kDebug},
    {"cache", Takes::kValue, OptionId::kCache},
    {"io", Takes::kValue, OptionId::kIo},
    {"mmap", Takes::kNothing, OptionId::kMmap},
    {"no-mmap", Takes::kNothing, OptionId::kNoMmap},
    {"read", Takes::kNothing, OptionId::kRead},
    {"sort", Takes::kMaybeValue, OptionId::kSort, "path"},
    {"stats", Takes::kMaybeValue, OptionId::kStats, "text"},
    {"threads,j", Takes::kValue, OptionId::kThreads},
};

// Keys of the two pseudo options; no real name can hold a space.
constexpr char kDigitsKey[] = "context digits";
constexpr char kWrongKey[] = "wrong argument";

constexpr bool IsDigit(char c) { return '0' <= c && c <= '9'; }

class OptionTable {
 public:
  OptionTable() {
    for (const Known& known : kGnuOptions) Add(gnu_, known);
    for (const Known& known : kOwnOptions) Add(own_, known);
    all_.add(gnu_).add(own_);
  }

  const po::options_description& all() const { return all_; }

  // `name` is a long name, perhaps abbreviated, or "-c" for a short one. Null when there is none.
  // Throws po::ambiguous_option.
  const po::option_description* Find(const std::string& name) const {
    const bool abbreviated = name[0] != '-';
    if (const auto* found = gnu_.find_nothrow(name, abbreviated)) return found;
    return own_.find_nothrow(name, abbreviated);
  }

  const Known& KnownFor(const std::string& key) const { return *by_key_.at(key); }

 private:
  void Add(po::options_description& to, const Known& known) {
    if (known.takes == Takes::kNothing) {
      to.add_options()(known.names, "");
    } else {
      to.add_options()(known.names, po::value<std::string>(), "");
    }
    by_key_[to.options().back()->key("")] = &known;
  }

  po::options_description gnu_;
  po::options_description own_;
  po::options_description all_;
  std::map<std::string, const Known*> by_key_;
};

po::option MakeOption(std::string key, std::optional<std::string> value = std::nullopt) {
  po::option option;
  option.string_key = std::move(key);
  if (value) option.value.push_back(*std::move(value));
  return option;
}

// Takes one or more options off the front of the arguments.
class StyleParser {
 public:
  StyleParser(const OptionTable& table, bool operands_end_options)
      : table_(table), operands_end_options_(operands_end_options) {}

  std::vector<po::option> operator()(std::vector<std::string>& arguments) const {
    if (arguments.front() == "--") return {};
    if (IsOperand(arguments.front())) return TakeOperands(arguments);
    const std::string argument = TakeFirst(arguments);
    std::vector<po::option> options = argument[1] == '-'
                                          ? TakeLong(argument.substr(2), arguments)
                                          : TakeBundle(argument.substr(1), arguments);
    if (options.back().string_key == kWrongKey) arguments.clear();
    return options;
  }

 private:
  static bool IsOperand(const std::string& argument) {
    return argument.size() < 2 || argument[0] != '-';
  }

  // All operands up to the next option at once: Boost would take them one by one off the front of
  // the vector, in quadratic time.
  std::vector<po::option> TakeOperands(std::vector<std::string>& arguments) const {
    const auto end = operands_end_options_
                         ? arguments.end()
                         : std::find_if_not(arguments.begin(), arguments.end(), IsOperand);
    std::vector<po::option> operands;
    for (auto it = arguments.begin(); it != end; ++it) {
      operands.push_back(MakeOption("", std::move(*it)));
    }
    arguments.erase(arguments.begin(), end);
    return operands;
  }

  static po::option Wrong(std::string complaint) {
    return MakeOption(kWrongKey, std::move(complaint));
  }

  std::vector<po::option> TakeLong(const std::string& text,
                                   std::vector<std::string>& following) const {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const po::option_description* found = nullptr;
    try {
      if (!name.starts_with('-')) found = table_.Find(name);
    } catch (const po::ambiguous_option& ambiguous) {
      return {Wrong("option '--" + text + "' is ambiguous; possibilities:" +
                    Possibilities(ambiguous.alternatives(), name))};
    }
    if (found == nullptr) return {Wrong("unrecognized option '--" + text + "'")};

    const std::string& key = found->key("");
    const auto [names, takes, id, default_value] = table_.KnownFor(key);
    if (equals != std::string::npos) {
      if (takes == Takes::kNothing) {
        return {Wrong("option '--" + FullName(*found, name) + "' doesn't allow an argument")};
      }
      return {MakeOption(key, text.substr(equals + 1))};
    }
    if (takes == Takes::kNothing) return {MakeOption(key)};
    if (takes == Takes::kMaybeValue) return {MakeOption(key, default_value)};
    if (following.empty()) {
      return {Wrong("option '--" + FullName(*found, name) + "' requires an argument")};
    }
    return {MakeOption(key, TakeFirst(following))};
  }

  // The names that `typed` may stand for; of the first option only one, as getopt_long has it.
  std::string Possibilities(const std::vector<std::string>& keys, const std::string& typed) const {
    std::string text;
    for (const std::string& key : keys) {
      const auto [names, count] = table_.Find(key)->long_names();
      for (std::size_t i = 0; i < count; ++i) {
        if (!names[i].starts_with(typed)) continue;
        text += " '--" + names[i] + "'";
        if (key == keys.front()) break;
      }
    }
    return text;
  }

  std::vector<po::option> TakeBundle(const std::string& letters,
                                     std::vector<std::string>& following) const {
    std::vector<po::option> options;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (IsDigit(letters[i])) {
        const std::size_t begin = i;
        while (i + 1 < letters.size() && IsDigit(letters[i + 1])) ++i;
        options.push_back(MakeOption(kDigitsKey, letters.substr(begin, i + 1 - begin)));
        continue;
      }
      const po::option_description* found = table_.Find(std::string{'-', letters[i]});
      if (found == nullptr) {
        options.push_back(Wrong(std::string("invalid option -- '") + letters[i] + "'"));
        return options;
      }
      const std::string& key = found->key("");
      if (table_.KnownFor(key).takes == Takes::kNothing) {
        options.push_back(MakeOption(key));
      } else if (i + 1 < letters.size()) {
        options.push_back(MakeOption(key, letters.substr(i + 1)));
        break;
      } else if (!following.empty()) {
        options.push_back(MakeOption(key, TakeFirst(following)));
      } else {
        options.push_back(
            Wrong(std::string("option requires an argument -- '") + letters[i] + "'"));
      }
    }
    return options;
  }

  static std::string TakeFirst(std::vector<std::string>& arguments) {
    std::string first = std::move(arguments.front());
    arguments.erase(arguments.begin());
    return first;
  }

  // The name that `typed` abbreviates, among the aliases of one option.
  static std::string FullName(const po::option_description& option, const std::string& typed) {
    const auto [names, count] = option.long_names();
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i].starts_with(typed)) return names[i];
    }
    return typed;
  }

  const OptionTable& table_;
  bool operands_end_options_;
};

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments, bool operands_end_options) {
  CommandLine result;
  if (arguments.empty()) return result;
  const OptionTable table;
  const po::parsed_options parsed =
      po::command_line_parser(arguments)
          .options(table.all())
          .extra_style_parser(StyleParser(table, operands_end_options))
          .allow_unregistered()
          .run();
  for (const po::option& option : parsed.options) {
    std::string value = option.value.empty() ? std::string() : option.value.front();
    if (option.string_key.empty()) {
      result.operands.push_back(std::move(value));
    } else if (option.string_key == kWrongKey) {
      result.options.push_back({OptionId::kWrong, std::move(value)});
    } else if (option.string_key == kDigitsKey) {
      result.options.push_back({OptionId::kContextDigits, std::move(value)});
    } else {
      result.options.push_back({table.KnownFor(option.string_key).id, std::move(value)});
    }
  }
  return result;
}

}  // namespace mr::app
