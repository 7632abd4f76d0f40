#include "match/automaton_matcher.h"

#include <utility>

#include "match/line_by_line.h"

namespace mr::match {
namespace {

class AutomatonMatcher final : public LineByLineMatcher {
 public:
  AutomatonMatcher(const LineAutomaton& automaton, bool decides, std::unique_ptr<Matcher> c_library,
                   char terminator)
      : LineByLineMatcher(terminator),
        automaton_(automaton),
        decides_(decides),
        c_library_(std::move(c_library)) {}

  std::optional<Span> Find(std::string_view line, std::size_t from) override {
    return c_library_->Find(line, from);
  }
  bool Matches(std::string_view line) override {
    return automaton_.Matches(line, terminator()) && (decides_ || c_library_->Matches(line));
  }

 private:
  const LineAutomaton& automaton_;
  bool decides_;
  std::unique_ptr<Matcher> c_library_;
};

}  // namespace

std::unique_ptr<Matcher> NewAutomatonMatcher(const LineAutomaton& automaton, bool decides,
                                             std::unique_ptr<Matcher> c_library, char terminator) {
  return std::make_unique<AutomatonMatcher>(automaton, decides, std::move(c_library), terminator);
}

}  // namespace mr::match
