// PCRE2 as the engine of -P.
#pragma once

#include <memory>

#include "match/engine.h"

namespace mr::match {

// Throws pattern::PatternError with PCRE2's message, as GNU grep does.
std::unique_ptr<Engine> CompilePerl(const pattern::Source& source);

}  // namespace mr::match
