#include "differential/judge.h"

#include <algorithm>
#include <iterator>
#include <set>

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

}  // namespace

RunResult Judge::Run(const Program& program, const Case& test_case) {
  runner_.Prepare(test_case);
  return runner_.Run(program, test_case);
}

bool Judge::Agree(const Case& test_case) {
  const RunResult reference = Reference(test_case);
  return !reference.timed_out && FirstDifference(reference, Subject(test_case)) == Aspect::kNone;
}

std::string Judge::Odd::text() const {
  // NAME:NUMBER:TEXT, and no name holds a colon.
  return record.substr(record.find(':', record.find(':') + 1) + 1);
}

std::vector<Judge::Odd> Judge::OddLines(const Case& test_case) {
  const Case lines = LinesOnly(test_case);
  const auto expected = Records(lines, Reference(lines));
  const auto shown = Records(lines, Subject(lines));
  std::vector<Odd> odd;
  for (const auto& record : expected) {
    if (shown.count(record) == 0) odd.push_back({record, false});
  }
  for (const auto& record : shown) {
    if (expected.count(record) == 0) odd.push_back({record, true});
  }
  return odd;
}

bool Judge::ReferenceSelects(const Case& test_case, const std::string& record) {
  const Case lines = LinesOnly(test_case);
  return Records(lines, Reference(lines)).count(record) > 0;
}

}  // namespace differential
