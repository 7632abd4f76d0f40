// hs_scan by the part of Vectorscan that can be relied on.
#pragma once

#include <hs.h>

namespace mr::match {

using ScanFunction = decltype(&hs_scan);

// Takes the place of hs_scan, for databases that were compiled for Platform16(). Null where the
// library has no such part for this processor: then nothing is to be searched with it.
ScanFunction Scan16();
hs_platform_info_t Platform16();

}  // namespace mr::match
