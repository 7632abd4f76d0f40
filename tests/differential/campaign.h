// Many cases, on all cores: what differed, smallest first words.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "differential/case.h"
#include "differential/runner.h"

namespace differential {

struct CampaignPlan {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  // number of the first case
  std::uint64_t cases = 1000;
  unsigned threads = 1;
  std::chrono::seconds time{std::chrono::hours(24)};  // after which the campaign ends early
  std::size_t most_failures = 10;  // different ones, after which the campaign ends early
  // Patience with the judge is short: what it finds too hard is not asked.
  Program reference{.path = "/usr/bin/grep", .leading = {}, .time_limit = std::chrono::seconds(2)};
  std::string subject;
  // Arguments that must not change what is printed (IO modes, threads). Each case runs with one
  // of them, taken in turn, or with every one when `all_variants`.
  std::vector<std::vector<std::string>> variants{{}};
  bool all_variants = false;
  // Cases with an option that begins with one of these are left out.
  std::vector<std::string> left_out_options;
};

struct CampaignResult {
  std::uint64_t compared = 0;  // cases
  std::uint64_t runs = 0;      // of either program
  std::uint64_t left_out = 0;
  std::vector<std::string> unusable;      // variants that this machine or kernel cannot serve
  std::map<int, std::uint64_t> statuses;  // of the reference
  std::uint64_t reference_slow = 0;       // cases in which the reference exceeded the time limit
  std::map<std::string, std::uint64_t> explained;  // by the known difference's name
  std::map<std::string, std::uint64_t> repeated;  // unexplained ones that shrank to one seen before
  std::vector<std::string> failures;              // reports, each a script and both results
};

// `progress`, if any, is called now and then with the number of cases done, and `on_failure` with
// each failure as soon as it is found and shrunk.
CampaignResult RunCampaign(const CampaignPlan& plan,
                           const std::function<void(std::uint64_t)>& progress = nullptr,
                           const std::function<void(const std::string&)>& on_failure = nullptr);

// The ways of reading and numbers of threads that must print the same bytes.
std::vector<std::vector<std::string>> IoVariants();

}  // namespace differential
