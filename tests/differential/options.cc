#include "differential/options.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace differential {
namespace {

const std::map<std::string, std::vector<std::string>> kShorter = {
    {"--line-number", {"-n"}},
    {"--inv", {"-v"}},
    {"--ignore", {"-i"}},
    {"-y", {"-i"}},
    {"--word-reg", {"-w"}},
    {"--line-regexp", {"-x"}},
    {"--count", {"-c"}},
    {"--only", {"-o"}},
    {"--byte-offset", {"-b"}},
    {"--files-with-m", {"-l"}},
    {"--files-without-match", {"-L"}},
    {"--null", {"-Z"}},
    {"--null-data", {"-z"}},
    {"--initial-tab", {"-T"}},
    {"--text", {"-a"}},
    {"--no-messages", {"-s"}},
    {"--quiet", {"-q"}},
    {"--silent", {"-q"}},
    {"--with-filename", {"-H"}},
    {"--no-filename", {"-h"}},
    {"--basic-regexp", {"-G"}},
    {"-nH", {"-n", "-H"}},
    {"-inv", {"-i", "-n", "-v"}},
    {"-bo", {"-b", "-o"}},
    {"-n3", {"-n", "-3"}},
    {"--max-count=2", {"-m2"}},
    {"--max-count=-1", {"-m-1"}},
    {"-drecurse", {"-r"}},
};

bool Selects(const std::string& option) {
  static const std::vector<std::string> kSelecting = {
      "-E", "-F", "-G", "-P", "-i", "-w", "-x", "-z", "-r", "-R", "-s", "--no-ignore-case"};
  return std::find(kSelecting.begin(), kSelecting.end(), option) != kSelecting.end() ||
         option.starts_with("--include") || option.starts_with("--exclude") ||
         option.starts_with("-d") || option.starts_with("-D");
}

}  // namespace

Case Canonical(Case test_case) {
  std::vector<std::string> options;
  for (const auto& option : test_case.options) {
    const auto found = kShorter.find(option);
    if (found == kShorter.end()) {
      options.push_back(option);
    } else {
      options.insert(options.end(), found->second.begin(), found->second.end());
    }
  }
  test_case.options = std::move(options);
  if (test_case.patterns.empty() && test_case.pattern_style == PatternStyle::kOperand) {
    test_case.patterns = {""};
  }
  return test_case;
}

bool Has(const Case& test_case, const std::string& option) {
  const auto& options = test_case.options;
  return std::find(options.begin(), options.end(), option) != options.end();
}

bool IsSpanOption(const std::string& option) {
  return option == "-o" || option.starts_with("--colo");
}

bool IsContextOption(const std::string& option) {
  return option.size() >= 2 && option[0] == '-' &&
         (std::string_view("ABC0123456789").find(option[1]) != std::string_view::npos ||
          option.starts_with("--context"));
}

bool IsCountLimit(const std::string& option) { return option.starts_with("-m"); }

bool ShowsSpans(const Case& test_case) {
  return std::any_of(test_case.options.begin(), test_case.options.end(), IsSpanOption);
}

bool InUtf8(const Case& test_case) { return test_case.locale.ends_with("UTF-8"); }

Case Without(Case test_case, const std::function<bool(const std::string& option)>& dropped) {
  std::erase_if(test_case.options, dropped);
  return test_case;
}

Case LinesOnly(const Case& test_case) {
  Case lines = Without(test_case, [](const std::string& option) { return !Selects(option); });
  lines.options.insert(lines.options.end(), {"-a", "-n", "-H"});
  lines.one_stream = false;
  lines.grep_colors.clear();
  return lines;
}

}  // namespace differential
