// Processes that a killed experiment left in its control group.
#pragma once

#include <string>

namespace mr::os {

// Kills (SIGKILL) the processes of a group whose maker is dead, so that the group can be removed:
// an arm that hangs would otherwise use the machine, and its memory, beside the next experiment.
// Returns true when nobody is left there who was not killed. Does nothing, and returns false, where
// it cannot be sure: the directory is none of the kernel's control groups, a process there cannot
// be seen from this PID namespace, or one is still the child of a program with our name, which is
// then alive in another namespace.
bool EndOrphans(const std::string& group_directory);

}  // namespace mr::os
