#include "pattern/char_set.h"

#include <algorithm>

namespace mr::pattern {

void CharSet::Add(char32_t first, char32_t last) {
  if (first > last) return;
  // The common case, ascending input, needs no search.
  if (ranges_.empty() || first > ranges_.back().last + 1) {
    ranges_.push_back({first, last});
    return;
  }
  auto begin = std::lower_bound(ranges_.begin(), ranges_.end(), first,
                                [](const CharRange& r, char32_t c) { return r.last + 1 < c; });
  auto end = begin;
  while (end != ranges_.end() && end->first <= last + 1) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  if (begin == end) {
    ranges_.insert(begin, {first, last});
  } else {
    *begin = {first, last};
    ranges_.erase(begin + 1, end);
  }
}

void CharSet::Add(const CharSet& other) {
  if (ranges_.empty()) {
    ranges_ = other.ranges_;
    return;
  }
  for (const CharRange& r : other.ranges_) Add(r.first, r.last);
}

bool CharSet::Contains(char32_t c) const {
  auto it = std::lower_bound(ranges_.begin(), ranges_.end(), c,
                             [](const CharRange& r, char32_t x) { return r.last < x; });
  return it != ranges_.end() && it->first <= c;
}

std::uint64_t CharSet::size() const {
  std::uint64_t total = 0;
  for (const CharRange& r : ranges_) total += r.last - r.first + 1;
  return total;
}

CharSet CharSet::Intersect(const CharSet& other) const {
  CharSet result;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    result.Add(std::max(a->first, b->first), std::min(a->last, b->last));
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

CharSet CharSet::Subtract(const CharSet& other) const {
  CharSet result;
  auto b = other.ranges_.begin();
  for (const CharRange& r : ranges_) {
    char32_t next = r.first;
    while (b != other.ranges_.end() && b->last < r.first) ++b;
    bool open = true;
    for (auto hole = b; hole != other.ranges_.end() && hole->first <= r.last; ++hole) {
      if (hole->first > next) result.Add(next, hole->first - 1);
      if (hole->last >= r.last) {
        open = false;
        break;
      }
      next = hole->last + 1;
    }
    if (open) result.Add(next, r.last);
  }
  return result;
}

}  // namespace mr::pattern
