// The user's character set.
#pragma once

#include "pattern/pattern.h"

namespace mr::app {

// Sets LC_CTYPE from the environment, unless that says C or POSIX, or says nothing, where the
// program is in the right locale already and need not spend time. A locale that is not installed
// is the C locale.
pattern::Charset AdoptLocale();

}  // namespace mr::app
