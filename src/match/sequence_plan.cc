// Which bytes tell the sequences, and which sequences share a bucket.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "match/literal_finder.h"
#include "match/sequence_finder.h"

namespace mr::match {
namespace {

using pattern::ByteSequence;
using pattern::ByteSet;

// The share of places that have to be looked at more closely: a longer window is taken until they
// are as rare as this, and no plan is made where they are more frequent than that.
constexpr double kRare = 1.0 / (1 << 14);
constexpr double kMost = 1.0 / (1 << 7);

// A letter in both cases has no more members than these, other sets are classes. How often a byte
// of a class has another behind it.
constexpr int kMostCases = 2;
constexpr double kShareOfRun = 0.5;

// Two tables, one of low and one of high halves of a byte, tell whether a byte may belong to a set:
// what they let pass is all that has a half from each.
struct Halves {
  unsigned low = 0;
  unsigned high = 0;

  static Halves Of(const ByteSet& set) {
    Halves halves;
    for (std::size_t byte = 0; byte < set.size(); ++byte) {
      if (!set[byte]) continue;
      halves.low |= 1u << (byte & 15);
      halves.high |= 1u << (byte >> 4);
    }
    return halves;
  }

  bool operator==(const Halves&) const = default;
  int size() const { return std::popcount(low) * std::popcount(high); }  // bytes that pass
  Halves operator|(Halves other) const { return {low | other.low, high | other.high}; }

  // The share of bytes that pass.
  double Share() const {
    pattern::ByteSet bytes;
    for (unsigned highs = high; highs != 0; highs &= highs - 1) {
      for (unsigned lows = low; lows != 0; lows &= lows - 1) {
        bytes.set(std::countr_zero(highs) << 4 | std::countr_zero(lows));
      }
    }
    return pattern::Share(bytes);
  }
};

using Window = std::vector<Halves>;

// As if bytes were independent; but those of one class come in runs.
double Share(const Window& window) {
  double share = 1;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const bool in_run = i > 0 && window[i] == window[i - 1] && window[i].size() > kMostCases;
    share *= in_run ? kShareOfRun : window[i].Share();
  }
  return share;
}

Window United(Window a, const Window& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] | b[i];
  return a;
}

struct Bucket {
  std::vector<std::size_t> members;
  Window window;
  double share = 0;
};

// Joins the two whose union lets the fewest places more pass.
void JoinTwo(std::vector<Bucket>& buckets) {
  double least = std::numeric_limits<double>::infinity();
  std::pair<std::size_t, std::size_t> best;
  for (std::size_t a = 0; a < buckets.size(); ++a) {
    for (std::size_t b = a + 1; b < buckets.size(); ++b) {
      const double share = Share(United(buckets[a].window, buckets[b].window));
      const double more = share - buckets[a].share - buckets[b].share;
      if (more < least) {
        least = more;
        best = {a, b};
      }
    }
  }
  Bucket& into = buckets[best.first];
  Bucket& from = buckets[best.second];
  into.members.insert(into.members.end(), from.members.begin(), from.members.end());
  into.window = United(std::move(into.window), from.window);
  into.share = Share(into.window);
  buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(best.second));
}

// Fills in the plan for a window of that size; returns the share of places that pass.
double Arrange(SequencePlan& plan, std::size_t window) {
  plan.window = window;
  plan.windows.clear();
  std::vector<Bucket> buckets;
  for (const ByteSequence& sequence : plan.sequences.any_of) {
    Window halves;
    for (const ByteSet& set : sequence.bytes) halves.push_back(Halves::Of(set));
    Bucket bucket{{plan.windows.size()}, {}, std::numeric_limits<double>::infinity()};
    std::size_t best = 0;
    for (auto begin = halves.begin(); halves.end() - begin >= std::ptrdiff_t(window); ++begin) {
      Window candidate(begin, begin + std::ptrdiff_t(window));
      const double share = Share(candidate);
      if (share >= bucket.share) continue;
      best = static_cast<std::size_t>(begin - halves.begin());
      bucket.share = share;
      bucket.window = std::move(candidate);
    }
    buckets.push_back(std::move(bucket));
    plan.windows.push_back(best);
  }
  while (buckets.size() > SequencePlan::kBuckets) JoinTwo(buckets);
  double share = 0;
  for (std::size_t i = 0; i < SequencePlan::kBuckets; ++i) {
    plan.buckets[i] =
        i < buckets.size() ? std::move(buckets[i].members) : std::vector<std::size_t>();
    if (i < buckets.size()) share += buckets[i].share;
  }
  return share;
}

}  // namespace

std::optional<SequencePlan> PlanSequences(pattern::Sequences sequences) {
  if (!LiteralFindersRun() || sequences.any_of.empty()) return std::nullopt;
  std::size_t shortest = SequencePlan::kMostWindow;
  for (const ByteSequence& sequence : sequences.any_of) {
    shortest = std::min(shortest, sequence.bytes.size());
  }
  SequencePlan plan;
  plan.sequences = std::move(sequences);
  double share = 1;
  for (std::size_t window = SequencePlan::kLeastWindow; window <= shortest && share > kRare;
       ++window) {
    share = Arrange(plan, window);
  }
  if (share > kMost) return std::nullopt;
  return plan;
}

}  // namespace mr::match
