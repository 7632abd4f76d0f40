// Who made a thing that outlives its maker: a mark for the thing's name, from which a later process
// can tell whether the maker is dead.
//
// A process number alone says nothing: it is used again, and it counts in its PID namespace only,
// while several containers may see the same control groups.
#pragma once

#include <string>
#include <string_view>

namespace mr::os {

// Of this process: "BOOT-NAMESPACE-PID-STARTTIME", of letters, digits and three hyphens.
std::string OwnMark();

// Whether the process with that mark has ended. False for anything else: a maker in another PID
// namespace or of another boot, which cannot be looked at from here, and what is no mark.
bool IsMarkOfTheDead(std::string_view mark);

}  // namespace mr::os
