// What data sets can be made of.
#pragma once

#include "lab/data/set.h"

namespace mr::lab {

inline constexpr DataKind kAllKinds[] = {DataKind::kLog,      DataKind::kSource, DataKind::kProse,
                                         DataKind::kCyrillic, DataKind::kWords,  DataKind::kRandom,
                                         DataKind::kOneLine,  DataKind::kSparse};

}  // namespace mr::lab
