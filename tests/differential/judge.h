// Asks both programs again, about other cases than the one in which they differed.
#pragma once

#include <string>
#include <vector>

#include "differential/case.h"
#include "differential/runner.h"

namespace differential {

class Judge {
 public:
  Judge(Runner& runner, const Program& reference, const Program& subject)
      : runner_(runner), reference_(reference), subject_(subject) {}

  RunResult Reference(const Case& test_case) { return Run(reference_, test_case); }
  RunResult Subject(const Case& test_case) { return Run(subject_, test_case); }

  // Whether both print the same, byte for byte, and come to an end.
  bool Agree(const Case& test_case);

  // The lines that only one of them selects, each with the name of its file and its number.
  struct Odd {
    std::string record;
    bool by_subject;
    std::string text() const;  // the line alone
  };
  std::vector<Odd> OddLines(const Case& test_case);

  // Whether the reference selects that line of the case.
  bool ReferenceSelects(const Case& test_case, const std::string& record);

 private:
  RunResult Run(const Program& program, const Case& test_case);

  Runner& runner_;
  const Program& reference_;
  const Program& subject_;
};

}  // namespace differential
