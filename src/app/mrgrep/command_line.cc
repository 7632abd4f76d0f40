#include "app/mrgrep/command_line.h"

#include <algorithm>
#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/option.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
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
    {"no-progress", Takes::kNothing, OptionId::kNoProgress},
    {"read", Takes::kNothing, OptionId::kRead},
    {"sort", Takes::kMaybeValue, OptionId::kSort, "path"},
    {"stats", Takes::kMaybeValue, OptionId::kStats, "text"},
    {"threads,j", Takes::kValue, OptionId::kThreads},
};

constexpr bool IsDigit(char c) { return '0' <= c && c <= '9'; }

const Known* FindShort(char letter) {
  const auto has_letter = [&](const Known& known) {
    const std::string_view names = known.names;
    return names.back() == letter && names[names.size() - 2] == ',';
  };
  for (const Known& known : kGnuOptions) {
    if (has_letter(known)) return &known;
  }
  for (const Known& known : kOwnOptions) {
    if (has_letter(known)) return &known;
  }
  return nullptr;
}

// Boost's table of names. Making it takes as long as searching a small file, so that is put off
// until there is a long name to look up.
class LongNames {
 public:
  LongNames() {
    for (const Known& known : kGnuOptions) Add(gnu_, known);
    for (const Known& known : kOwnOptions) Add(own_, known);
  }

  // What `name` is or abbreviates; null when there is nothing. Throws po::ambiguous_option.
  const po::option_description* Find(const std::string& name) const {
    constexpr bool kAbbreviated = true;
    if (const auto* found = gnu_.find_nothrow(name, kAbbreviated)) return found;
    return own_.find_nothrow(name, kAbbreviated);
  }

  const Known& KnownFor(const po::option_description& found) const { return *known_.at(&found); }

 private:
  void Add(po::options_description& to, const Known& known) {
    to.add_options()(known.names, "");
    known_[to.options().back().get()] = &known;
  }

  po::options_description gnu_;
  po::options_description own_;
  std::map<const po::option_description*, const Known*> known_;
};

// An option under a key that says which one it is.
po::option MakeOption(OptionId id, std::optional<std::string> value = std::nullopt) {
  po::option option;
  option.string_key = std::to_string(static_cast<int>(id));
  if (value) option.value.push_back(*std::move(value));
  return option;
}

OptionId IdOf(const po::option& option) {
  return static_cast<OptionId>(std::stoi(option.string_key));
}

po::option Wrong(std::string complaint) {
  return MakeOption(OptionId::kWrong, std::move(complaint));
}

po::option MakeOperand(std::string operand) {
  po::option option;
  option.value.push_back(std::move(operand));
  return option;
}

// Takes one or more options off the front of the arguments.
class StyleParser {
 public:
  explicit StyleParser(bool operands_end_options) : operands_end_options_(operands_end_options) {}

  std::vector<po::option> operator()(std::vector<std::string>& arguments) {
    if (arguments.front() == "--") return {};
    if (IsOperand(arguments.front())) return TakeOperands(arguments);
    const std::string argument = TakeFirst(arguments);
    std::vector<po::option> options = argument[1] == '-'
                                          ? TakeLong(argument.substr(2), arguments)
                                          : TakeBundle(argument.substr(1), arguments);
    if (IdOf(options.back()) == OptionId::kWrong) arguments.clear();
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
      operands.push_back(MakeOperand(std::move(*it)));
    }
    arguments.erase(arguments.begin(), end);
    return operands;
  }

  std::vector<po::option> TakeLong(const std::string& text, std::vector<std::string>& following) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (!long_names_) long_names_ = std::make_shared<const LongNames>();
    const po::option_description* found = nullptr;
    try {
      // Boost would take "-a" in "---a" for a short name.
      if (!name.starts_with('-')) found = long_names_->Find(name);
    } catch (const po::ambiguous_option& ambiguous) {
      return {Wrong("option '--" + text + "' is ambiguous; possibilities:" +
                    Possibilities(ambiguous.alternatives(), name))};
    }
    if (found == nullptr) return {Wrong("unrecognized option '--" + text + "'")};

    const auto [names, takes, id, default_value] = long_names_->KnownFor(*found);
    if (equals != std::string::npos) {
      if (takes == Takes::kNothing) {
        return {Wrong("option '--" + FullName(*found, name) + "' doesn't allow an argument")};
      }
      return {MakeOption(id, text.substr(equals + 1))};
    }
    if (takes == Takes::kNothing) return {MakeOption(id)};
    if (takes == Takes::kMaybeValue) return {MakeOption(id, default_value)};
    if (following.empty()) {
      return {Wrong("option '--" + FullName(*found, name) + "' requires an argument")};
    }
    return {MakeOption(id, TakeFirst(following))};
  }

  // The names that `typed` may stand for; of the first option only one, as getopt_long has it.
  std::string Possibilities(const std::vector<std::string>& keys, const std::string& typed) const {
    std::string text;
    for (const std::string& key : keys) {
      const auto [names, count] = long_names_->Find(key)->long_names();
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
        options.push_back(
            MakeOption(OptionId::kContextDigits, letters.substr(begin, i + 1 - begin)));
        continue;
      }
      const Known* found = FindShort(letters[i]);
      if (found == nullptr) {
        options.push_back(Wrong(std::string("invalid option -- '") + letters[i] + "'"));
        return options;
      }
      if (found->takes == Takes::kNothing) {
        options.push_back(MakeOption(found->id));
      } else if (i + 1 < letters.size()) {
        options.push_back(MakeOption(found->id, letters.substr(i + 1)));
        break;
      } else if (!following.empty()) {
        options.push_back(MakeOption(found->id, TakeFirst(following)));
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

  bool operands_end_options_;
  std::shared_ptr<const LongNames> long_names_;  // Boost copies its style parser
};

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments, bool operands_end_options) {
  CommandLine result;
  if (arguments.empty()) return result;
  const po::options_description none;  // StyleParser knows them all
  const po::parsed_options parsed = po::command_line_parser(arguments)
                                        .options(none)
                                        .extra_style_parser(StyleParser(operands_end_options))
                                        .allow_unregistered()
                                        .run();
  for (const po::option& option : parsed.options) {
    std::string value = option.value.empty() ? std::string() : option.value.front();
    if (option.string_key.empty()) {
      result.operands.push_back(std::move(value));
    } else {
      result.options.push_back({IdOf(option), std::move(value)});
    }
  }
  return result;
}

}  // namespace mr::app
