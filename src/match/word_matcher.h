// -w around an engine that cannot see word boundaries itself.
#pragma once

#include <memory>

#include "match/matcher.h"
#include "pattern/pattern.h"

namespace mr::match {

// `inner` must not depend on what follows a match ($, \>, ...), because shorter matches are
// looked for in a line that has been cut.
std::unique_ptr<Matcher> NewWordMatcher(std::unique_ptr<Matcher> inner,
                                        const pattern::Source& source, bool left_to_c_library);

}  // namespace mr::match
