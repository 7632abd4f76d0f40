#include "differential/word_spans.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "differential/options.h"
#include "differential/rewrite.h"

namespace differential {
namespace {

struct Span {
  std::size_t begin;  // in the file
  std::string text;
  std::size_t end() const { return begin + text.size(); }
  bool operator==(const Span&) const = default;
};
// The words of a line, by the name of its file and its number.
using Lines = std::map<std::string, std::vector<Span>>;

Lines Parse(const Case& test_case, const std::string& output) {
  const char end = Has(test_case, "-z") ? '\0' : '\n';
  Lines lines;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t found = std::min(output.find(end, at), output.size());
    const std::string record = output.substr(at, found - at);
    at = found + 1;
    const std::size_t name_end = record.find(':');
    const std::size_t number_end = record.find(':', name_end + 1);
    const std::size_t offset_end = record.find(':', number_end + 1);
    if (offset_end == std::string::npos) continue;
    const std::string offset = record.substr(number_end + 1, offset_end - number_end - 1);
    lines[record.substr(0, number_end)].push_back(
        {std::stoul(offset), record.substr(offset_end + 1)});
  }
  return lines;
}

const std::string* Bytes(const Case& test_case, const std::string& line_name) {
  std::string name = line_name.substr(0, line_name.find(':'));
  if (name == "(standard input)") name = test_case.standard_input;
  for (const auto& file : test_case.files) {
    if (file.name == name) return &file.bytes;
  }
  return nullptr;
}

// Whether the character is a part of words where the case runs.
bool IsWord(const Case& test_case, const std::string& character, Judge& judge) {
  if (character.size() == 1 && static_cast<unsigned char>(character[0]) < 0x80) {
    return character == "_" || std::isalnum(static_cast<unsigned char>(character[0])) != 0;
  }
  Case alone;
  alone.locale = test_case.locale;
  alone.options = {"-a", "-x", "-c"};
  alone.patterns = {"[_[:alnum:]]"};
  alone.operands = {"character"};
  alone.files = {{"character", character}};
  return judge.Reference(alone).output == "1\n";
}

// Whether characters that are no part of words, or none at all, stand on both sides.
bool IsBounded(const Case& test_case, const std::string* bytes, const Span& span, Judge& judge) {
  if (bytes == nullptr) return true;
  std::size_t before = std::min<std::size_t>(span.begin, 1);
  if (InUtf8(test_case)) {
    for (std::size_t size = 2; size <= std::min<std::size_t>(span.begin, 4); ++size) {
      const Character character = CharacterAt(*bytes, span.begin - size);
      if (character.size == size && character.kind == CharacterKind::kWide) before = size;
    }
  }
  if (before > 0 && IsWord(test_case, bytes->substr(span.begin - before, before), judge)) {
    return false;
  }
  if (span.end() >= bytes->size()) return true;
  const std::size_t behind = InUtf8(test_case) ? CharacterAt(*bytes, span.end()).size : 1;
  return !IsWord(test_case, bytes->substr(span.end(), behind), judge);
}

bool Holds(const std::vector<Span>& spans, const Span& one) {
  return std::find(spans.begin(), spans.end(), one) != spans.end();
}

bool Overlaps(const std::vector<Span>& spans, const Span& one) {
  return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
    return span.begin < one.end() && one.begin < span.end();
  });
}

}  // namespace

bool WordSpansAreRight(const Case& test_case, Judge& judge) {
  Case spans = LinesOnly(test_case);
  spans.options.insert(spans.options.end(), {"-o", "-b"});
  const Lines expected = Parse(spans, judge.Reference(spans).output);
  Lines shown = Parse(spans, judge.Subject(spans).output);
  if (shown == expected) return false;
  std::vector<std::string> doubted;
  for (const auto& [name, words] : shown) {
    const auto theirs = expected.find(name);
    for (const Span& word : words) {
      if (!IsBounded(test_case, Bytes(test_case, name), word, judge)) return false;
      if (theirs == expected.end() || !Holds(theirs->second, word)) doubted.push_back(word.text);
    }
  }
  for (const auto& [name, words] : expected) {
    const std::vector<Span>& ours = shown[name];
    if (ours.empty() || ours[0].begin > words[0].begin) {
      if (IsBounded(test_case, Bytes(test_case, name), words[0], judge)) return false;
    }
    for (const Span& word : words) {
      if (!Overlaps(ours, word) && IsBounded(test_case, Bytes(test_case, name), word, judge)) {
        return false;
      }
    }
  }
  // What looks at its neighbours cannot be asked about alone.
  static const std::regex assertions("[\\^$]|\\\\[<>bB`']|\\(\\?");
  const bool asserts =
      std::any_of(test_case.patterns.begin(), test_case.patterns.end(),
                  [](const auto& pattern) { return std::regex_search(pattern, assertions); });
  if (doubted.empty() || asserts) return true;
  Case alone = LinesOnly(test_case);
  alone = Without(std::move(alone), [](const std::string& option) {
    return option != "-i" && option != "-z" && option != "-E" && option != "-F" && option != "-G" &&
           option != "-P" && option != "--no-ignore-case";
  });
  alone.options.insert(alone.options.end(), {"-a", "-x", "-c"});
  alone.operands = {"words"};
  alone.standard_input.clear();
  alone.files = {{"words", {}}};
  for (const auto& text : doubted) {
    alone.files[0].bytes += text;
    alone.files[0].bytes += Has(alone, "-z") ? '\0' : '\n';
  }
  return judge.Reference(alone).output == std::to_string(doubted.size()) + "\n";
}

}  // namespace differential
