#include "search/ordered_output.h"

#include <iterator>
#include <string>
#include <utility>

namespace mr::search {
namespace {

constexpr std::size_t kMaxPlaces = 4096;                     // searched ahead of their turn
constexpr std::size_t kMaxKeptBytes = std::size_t{8} << 20;  // of results that wait for it

}  // namespace

OrderedOutput::Place* OrderedOutput::Append() {
  std::lock_guard lock(mutex_);
  return Insert(places_.end());
}

OrderedOutput::Place* OrderedOutput::AppendTo(Place& place) {
  std::lock_guard lock(mutex_);
  return Insert(std::next(place.self_));
}

// Called with mutex_ held.
OrderedOutput::Place* OrderedOutput::Insert(std::list<Place>::iterator before) {
  const auto place = places_.emplace(before, *this);
  place->self_ = place;
  if (places_.size() == 1) first_ = &*place;
  return &*place;
}

void OrderedOutput::WaitForRoom(const Place& place) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return places_.size() <= kMaxPlaces || IsFirst(place) || abandoned_; });
}

bool OrderedOutput::WaitForTurn(const Place& place) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return IsFirst(place) || abandoned_; });
  return !abandoned_;
}

void OrderedOutput::Abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

// What cannot be written is followed by nothing.
void OrderedOutput::Emit(const Place::Item& item, std::string_view text) {
  try {
    if (item.kind == Place::Item::Kind::kMessage) {
      output_.Message(item.severity, text);
      return;
    }
    if (item.kind == Place::Item::Kind::kGroup) {
      if (wrote_group_) output_.Write(item.gap);
      wrote_group_ = true;
    }
    output_.Write(text);
  } catch (...) {
    abandoned_ = true;
    changed_.notify_all();
    throw;
  }
}

// `item` comes without its text, which is copied only where it has to be kept.
void OrderedOutput::Add(Place& place, Place::Item item, std::string_view text) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return IsFirst(place) || abandoned_ || kept_bytes_ <= kMaxKeptBytes; });
  if (abandoned_) return;
  if (IsFirst(place)) {
    Emit(item, text);
    return;
  }
  kept_bytes_ += text.size();
  if (item.kind == Place::Item::Kind::kBytes && !place.kept_.empty() &&
      place.kept_.back().kind != Place::Item::Kind::kMessage) {
    place.kept_.back().text += text;
    return;
  }
  item.text = text;
  place.kept_.push_back(std::move(item));
}

void OrderedOutput::FinishPlace(Place& place) {
  const Place* const finished = &place;
  place.finished_ = true;  // from now on it may be gone at any moment
  if (first_ != finished) return;
  std::lock_guard lock(mutex_);
  while (!places_.empty() && places_.front().finished_) {
    abandoned_ = abandoned_ || places_.front().last_;
    places_.pop_front();
    if (places_.empty()) break;
    Place& next = places_.front();
    for (const Place::Item& item : next.kept_) {
      kept_bytes_ -= item.text.size();
      if (!abandoned_) Emit(item, item.text);
    }
    next.kept_.clear();
    first_ = &next;
  }
  changed_.notify_all();
}

void OrderedOutput::Place::Write(std::string_view bytes) {
  if (!bytes.empty()) owner_.Add(*this, Item{Item::Kind::kBytes, {}, {}, {}}, bytes);
}

void OrderedOutput::Place::WriteGroup(std::string_view gap, std::string_view bytes) {
  owner_.Add(*this, Item{Item::Kind::kGroup, {}, std::string(gap), {}}, bytes);
}

void OrderedOutput::Place::Message(Severity severity, std::string_view text) {
  owner_.Add(*this, Item{Item::Kind::kMessage, severity, {}, {}}, text);
}

}  // namespace mr::search
