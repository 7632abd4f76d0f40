// Where one of thousands of literals may begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mr::match {

// The first bytes of the literals, as two sets that may hold others, too (Bloom filters with one
// hash each). Immutable and thread-safe.
class GramFilter {
 public:
  // Shorter literals begin nearly everywhere.
  static constexpr std::size_t kLeastBytes = 3;

  // Of every literal the first `length` >= kLeastBytes bytes are in `beginnings`. With `caseless`
  // their ASCII letters stand for both cases. A place that holds one of the bytes of `leads` is
  // never ruled out.
  GramFilter(const std::vector<std::string_view>& beginnings, std::size_t length, bool caseless,
             std::string leads);

  // Whether Next has to look for leads: most text holds none.
  bool HoldsLeads(std::string_view block) const;

  // The first place from `from` on at which a literal or a lead may be, else block.size().
  std::size_t Next(std::string_view block, std::size_t from, bool look_for_leads) const;

 private:
  template <bool kLeads>
  std::size_t NextAs(std::string_view block, std::size_t from) const;

  // Hashes of the 8 bytes at a place: of the first three or four, and of the first `length_`.
  std::size_t Short(std::uint64_t bytes) const;
  std::size_t Long(std::uint64_t bytes) const;

  std::size_t length_;  // at most 8
  std::uint64_t fold_;  // set in all bytes before they are hashed
  std::uint64_t short_mask_;
  std::uint64_t long_mask_;
  int bits_;  // of a hash
  std::vector<std::uint64_t> short_;
  std::vector<std::uint64_t> long_;
  std::string leads_;
};

}  // namespace mr::match
