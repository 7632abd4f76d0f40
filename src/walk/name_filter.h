// Which names --include, --exclude and --exclude-dir let through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mr::walk {

// Globs in the order given. The last one that matches a name decides; a name that none matches is
// let through unless the first glob was an include. (GNU grep documents less, but does this.)
// Const use is thread-safe.
class NameFilter {
 public:
  void Include(std::string glob) { globs_.push_back({std::move(glob), true}); }
  void Exclude(std::string glob) { globs_.push_back({std::move(glob), false}); }

  bool empty() const { return globs_.empty(); }

  // For an entry of a directory: the globs match its whole name.
  bool ExcludesEntry(const std::string& name) const { return Excludes(name, false); }

  // For a name on the command line: the globs match all of it or what follows one of its slashes.
  // '*' and '?' match slashes.
  bool ExcludesOperand(const std::string& path) const { return Excludes(path, true); }

 private:
  struct Glob {
    std::string text;
    bool include;
  };

  bool Excludes(const std::string& path, bool suffixes) const;

  std::vector<Glob> globs_;
};

}  // namespace mr::walk
