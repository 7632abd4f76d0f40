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

  // The same of what they have printed. GNU grep takes the files of a directory as the file system
  // lists them, so that those may come in any order.
  static bool Same(const Case& test_case, const RunResult& reference, const RunResult& subject);

  // A line that only one of them selects, as NAME:NUMBER:TEXT, or a part that only one of them
  // finds in a line that both select, as NAME:NUMBER:OFFSET:TEXT.
  struct Odd {
    std::string record;
    std::string line;  // the text of the whole line
    bool by_subject;
    bool is_part;
  };
  std::vector<Odd> OddLines(const Case& test_case);
  // The lines, and the parts as well if the case shows any.
  std::vector<Odd> Odds(const Case& test_case);

  // Whether the reference, too, selects the line or finds the part in that case.
  bool ReferenceShows(const Case& test_case, const Odd& odd);

 private:
  RunResult Run(const Program& program, const Case& test_case);

  Runner& runner_;
  const Program& reference_;
  const Program& subject_;
};

}  // namespace differential
