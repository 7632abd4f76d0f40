#include "match/vectorscan_finder.h"

namespace mr::match {

std::unique_ptr<Database> Database::Compile(const DatabasePlan&) { return nullptr; }

}  // namespace mr::match
