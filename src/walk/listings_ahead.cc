#include "walk/listings_ahead.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace mr::walk {

std::shared_ptr<ListingAhead> ListingsAhead::Claim(const ListedDirectory& listed, std::size_t from,
                                                   const NameFilter& excluded, bool follow) {
  // Through links one may come to a directory again and again.
  for (std::size_t i = 0; i < claimed_.size() && !follow; ++i) {
    ListingAhead& ahead = *claimed_[i].listing;
    const ListedDirectory* const inner = ahead.done() ? ahead.Wait() : nullptr;
    if (inner == nullptr) continue;
    if (auto deeper = ahead.below().Claim(*inner, 0, excluded, follow)) return deeper;
  }
  for (looked_ = std::max(looked_, from); looked_ < listed.entries.size(); ++looked_) {
    const DirectoryListing::Entry& entry = listed.entries[looked_];
    if (entry.kind != EntryKind::kDirectory) continue;
    std::string name(listed.entries.Name(entry));
    if (excluded.ExcludesEntry(name)) continue;
    auto listing = std::make_shared<ListingAhead>(listed.directory, std::move(name), follow);
    claimed_.push_back({looked_++, listing});
    return listing;
  }
  return nullptr;
}

std::shared_ptr<ListingAhead> ListingsAhead::Take(std::size_t entry) {
  while (!claimed_.empty() && claimed_.front().entry <= entry) {
    const Claimed first = std::move(claimed_.front());
    claimed_.pop_front();
    if (first.entry == entry) return first.listing;
  }
  return nullptr;
}

std::size_t ListingsAhead::count() const {
  std::size_t count = claimed_.size();
  for (const Claimed& claimed : claimed_) count += claimed.listing->below().count();
  return count;
}

void ListingAhead::Make() noexcept {
  try {
    if (OpenDirectory directory = OpenDirectoryAt(parent_->get(), name_.c_str(), follow_)) {
      ListedDirectory listed = List(std::move(directory), follow_);
      if (listed.error == 0) listed_ = std::move(listed);
    }
  } catch (const std::exception&) {
    // There is not enough memory now.
  }
  GiveUp();
}

void ListingAhead::GiveUp() noexcept {
  parent_.reset();
  done_ = true;
  done_.notify_all();
}

ListedDirectory* ListingAhead::Wait() {
  done_.wait(false);
  return listed_ ? &*listed_ : nullptr;
}

}  // namespace mr::walk
