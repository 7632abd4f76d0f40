// Directories that are listed before the walk enters them, so that several threads can.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "walk/directory.h"
#include "walk/name_filter.h"

namespace mr::walk {

class ListingAhead;

// Those of the subdirectories of one directory, in the order of its entries. Not thread-safe.
class ListingsAhead {
 public:
  // The subdirectory that the walk enters next, from entry `from` of `listed` on, of those that
  // nobody has claimed yet: below one that is listed already, or beside it. Null when there is
  // none. The caller has to see to it that ListingAhead::Make or GiveUp is called. Throws
  // std::bad_alloc, and nothing is claimed then.
  std::shared_ptr<ListingAhead> Claim(const ListedDirectory& listed, std::size_t from,
                                      const NameFilter& excluded, bool follow);

  // What was claimed for that entry, if anything, for good; what stands before it is forgotten.
  std::shared_ptr<ListingAhead> Take(std::size_t entry);

  // With those below them.
  std::size_t count() const;

 private:
  struct Claimed {
    std::size_t entry = 0;
    std::shared_ptr<ListingAhead> listing;
  };
  std::deque<Claimed> claimed_;
  std::size_t looked_ = 0;  // no entry before this one can be claimed
};

// One thread calls Make or GiveUp, any other may ask for done and Wait; below() and what Wait
// returns are for one thread at a time.
class ListingAhead {
 public:
  // Of the directory `name` in `parent`; with `follow` as for DirectoryListing::Read.
  ListingAhead(OpenDirectory parent, std::string name, bool follow)
      : parent_(std::move(parent)), name_(std::move(name)), follow_(follow) {}

  // Lists the directory. By one thread, once.
  void Make() noexcept;
  // Instead, or behind it, where it does nothing.
  void GiveUp() noexcept;

  // Whether Wait would return at once.
  bool done() const { return done_; }

  // Waits until one of the two has been called. Null when the directory was not listed without a
  // fault: then it is to be listed again, by whoever can say what is wrong.
  ListedDirectory* Wait();

  ListingsAhead& below() { return below_; }

 private:
  OpenDirectory parent_;
  const std::string name_;
  const bool follow_;
  std::optional<ListedDirectory> listed_;
  std::atomic<bool> done_{false};  // listed_ does not change any more
  ListingsAhead below_;
};

}  // namespace mr::walk
