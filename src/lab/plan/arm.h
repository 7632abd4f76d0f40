// Arms: from what the user typed to an argument vector that can be executed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plan/plan.h"

namespace mr::lab {

// An arm that cannot be used. what() names the arm and the reason.
class ArmError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The arms known by name alone, which are also those of an experiment that names none: "mmap" (or
// "m") and "read" ("r"), which run `mrgrep`, the path of the program, in that mode.
std::vector<Arm> DefaultArms(const std::string& mrgrep);

// The value of --arm: "NAME=COMMAND" for any command, or the bare name of a known arm. Throws
// ArmError for an unknown or empty name, an empty command and a command without {file}.
Arm ParseArm(std::string_view text, const std::string& mrgrep);

// The mrgrep that belongs to this mrbench: beside the running program, else the name, to be looked
// up in PATH.
std::string FindMrgrep();

// The command with its placeholders filled in, ready for exec. {pattern} and {file} always stand
// for exactly that text, inside quotes too, whatever characters it holds. A command that uses
// nothing of the shell but quotes is split into words here, so that the time measured is its own;
// any other is given to /bin/sh -c. Throws ArmError for an unfinished quote.
std::vector<std::string> ExpandCommand(const Arm& arm, std::string_view pattern,
                                       std::string_view file);

// The program that `arguments` start, as a path. Throws ArmError when it is not there or may not
// be executed. For a shell command only the shell is checked, and the first word of the command
// when it is a plain name that neither PATH nor the shell knows.
std::string CheckProgram(const Arm& arm, const std::vector<std::string>& arguments);

}  // namespace mr::lab
