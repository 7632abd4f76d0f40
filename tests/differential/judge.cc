#include "differential/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "differential/compare.h"
#include "differential/options.h"

namespace differential {
namespace {

std::set<std::string> Records(const Case& lines, const RunResult& result) {
  const char end = Has(lines, "-z") ? '\0' : '\n';
  std::set<std::string> records;
  std::size_t at = 0;
  while (at < result.output.size()) {
    const std::size_t found = std::min(result.output.find(end, at), result.output.size());
    records.insert(WithReferenceName(result.output.substr(at, found - at)));
    at = found + 1;
  }
  return records;
}

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char byte : WithReferenceName(text)) {
    lines.back() += byte;
    if (byte == '\n' || byte == '\0') lines.emplace_back();
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Record without its first fields, of which none holds a colon.
std::string Behind(const std::string& record, int fields) {
  std::size_t at = 0;
  while (fields-- > 0) at = record.find(':', at) + 1;
  return record.substr(at);
}

std::string LineName(const std::string& record) {
  return record.substr(0, record.find(':', record.find(':') + 1));
}

Case PartsOnly(const Case& test_case) {
  Case parts = LinesOnly(test_case);
  parts.options.insert(parts.options.end(), {"-o", "-b"});
  return parts;
}

}  // namespace

RunResult Judge::Run(const Program& program, const Case& test_case) {
  runner_.Prepare(test_case);
  return runner_.Run(program, test_case);
}

bool Judge::Agree(const Case& test_case) {
  const RunResult reference = Reference(test_case);
  return !reference.timed_out && Same(test_case, reference, Subject(test_case));
}

bool Judge::Same(const Case& test_case, const RunResult& reference, const RunResult& subject) {
  if (FirstDifference(reference, subject) == Aspect::kNone) return true;
  const bool recursive = Has(test_case, "-r") || Has(test_case, "-R");
  return recursive && reference.status == subject.status &&
         SortedLines(reference.output) == SortedLines(subject.output) &&
         SortedLines(reference.errors) == SortedLines(subject.errors);
}

std::vector<Judge::Odd> Judge::OddLines(const Case& test_case) {
  const Case lines = LinesOnly(test_case);
  const auto expected = Records(lines, Reference(lines));
  const auto shown = Records(lines, Subject(lines));
  std::vector<Odd> odd;
  for (const auto& record : expected) {
    if (shown.count(record) == 0) odd.push_back({record, Behind(record, 2), false, false});
  }
  for (const auto& record : shown) {
    if (expected.count(record) == 0) odd.push_back({record, Behind(record, 2), true, false});
  }
  return odd;
}

std::vector<Judge::Odd> Judge::Odds(const Case& test_case) {
  std::vector<Odd> odd = OddLines(test_case);
  if (!ShowsSpans(test_case)) return odd;
  const Case lines = LinesOnly(test_case);
  std::map<std::string, std::string> common;  // text by name and number
  for (const auto& record : Records(lines, Reference(lines))) {
    common[LineName(record)] = Behind(record, 2);
  }
  for (const auto& line : odd) common.erase(LineName(line.record));
  const Case parts = PartsOnly(test_case);
  const auto expected = Records(parts, Reference(parts));
  const auto shown = Records(parts, Subject(parts));
  const auto add = [&](const std::string& record, bool by_subject) {
    const auto line = common.find(LineName(record));
    if (line != common.end()) odd.push_back({record, line->second, by_subject, true});
  };
  for (const auto& record : expected) {
    if (shown.count(record) == 0) add(record, false);
  }
  for (const auto& record : shown) {
    if (expected.count(record) == 0) add(record, true);
  }
  return odd;
}

bool Judge::ReferenceShows(const Case& test_case, const Odd& odd) {
  const Case asked = odd.is_part ? PartsOnly(test_case) : LinesOnly(test_case);
  return Records(asked, Reference(asked)).count(odd.record) > 0;
}

}  // namespace differential
