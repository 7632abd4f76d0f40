#include "walk/name_filter.h"

#include <fnmatch.h>

namespace mr::walk {
namespace {

bool Matches(const std::string& glob, const std::string& path, bool suffixes) {
  if (::fnmatch(glob.c_str(), path.c_str(), 0) == 0) return true;
  if (!suffixes) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/' && path[i + 1] != '/' &&
        ::fnmatch(glob.c_str(), path.c_str() + i + 1, 0) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool NameFilter::Excludes(const std::string& path, bool suffixes) const {
  if (globs_.empty()) return false;
  for (auto glob = globs_.rbegin(); glob != globs_.rend(); ++glob) {
    if (Matches(glob->text, path, suffixes)) return !glob->include;
  }
  return globs_.front().include;
}

}  // namespace mr::walk
