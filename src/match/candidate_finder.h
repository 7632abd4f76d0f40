// Fast answers to "which lines might match?", before an exact engine is asked.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

namespace mr::match {

// Returned by a CandidateSink that wants no more candidates.
inline constexpr std::size_t kStop = static_cast<std::size_t>(-1);

// A reference to a callable `std::size_t(std::size_t)`; it does not own what it refers to. It is
// given the offset of a candidate and returns the offset from which on others are of interest
// (behind the line of this one), or kStop.
class CandidateSink {
 public:
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, CandidateSink>)
      CandidateSink(Callable&& callable)  // NOLINT(google-explicit-constructor)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, std::size_t at) -> std::size_t {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(at);
        }) {}
  std::size_t operator()(std::size_t at) const { return call_(object_, at); }

 private:
  void* object_;
  std::size_t (*call_)(void*, std::size_t);
};

// Finds places where a match may be. Not thread-safe: one per thread, made by
// Engine::NewCandidateFinder, which must outlive it. What the other functions say holds for the
// next Scan; a finder that adapts itself to the text may say something else after it.
class CandidateFinder {
 public:
  virtual ~CandidateFinder() = default;

  // Calls `found(at)` so that every line of `block` that holds a match of the exact engine gets at
  // least one `at` that is the offset of one of its bytes or of its terminator. Lines come in
  // order, the offsets in one line may not. Lines without a match may be reported too, unless
  // exact(). A line may be reported many times. Stops early when `found` returns kStop.
  //
  // Where NUL ends a line (Source::nul_ends_line) a finder that does not stop at NUL must not be
  // given any, unless Engine::IndifferentToNul. One that does stops at the first, reports nothing
  // behind it, and returns its offset; all others return block.size(), as does a Scan that was
  // stopped.
  virtual std::size_t Scan(std::string_view block, CandidateSink found) = 0;
  virtual bool stops_at_nul() const { return false; }

  // Whether every reported line does hold a match, so that nothing needs to be confirmed to know
  // which lines are selected (-o and colour still ask the Matcher for the spans).
  virtual bool exact() const = 0;

  // The same for lines of ASCII bytes only: looking whether a line is one (IsAscii) is cheaper
  // than asking the Matcher.
  virtual bool exact_on_ascii() const { return exact(); }
};

}  // namespace mr::match
