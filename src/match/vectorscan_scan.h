// The part of Vectorscan that can be relied on.
#pragma once

#include <hs.h>

namespace mr::match {

using ScanFunction = decltype(&hs_scan);

// These take the places of hs_scan and hs_free_database, for databases that were compiled for
// Platform16(). Scan16() is null where the library has no such part for this processor: then
// nothing is to be compiled, either.
ScanFunction Scan16();
void Free16(hs_database_t* database);
hs_platform_info_t Platform16();

}  // namespace mr::match
