#include "app/mrgrep/stats.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

namespace mr::app {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string NameOf(io::CachePolicy policy) {
  switch (policy) {
    case io::CachePolicy::kNormal:
      return "normal";
    case io::CachePolicy::kKeep:
      return "keep";
    case io::CachePolicy::kDrop:
      return "drop";
  }
  return "normal";
}

std::string FormatText(const search::Totals& totals, const rusage& usage, double real) {
  std::string text;
  const auto count = [&](std::uint64_t value, std::string_view label) {
    fmt::format_to(std::back_inserter(text), "{:>14}  {}\n", value, label);
  };
  const auto seconds = [&](double value, std::string_view label) {
    fmt::format_to(std::back_inserter(text), "{:>14.6f}  {}\n", value, label);
  };
  count(totals.files, "files searched");
  count(totals.bytes, "bytes searched");
  count(totals.selected_lines, "lines selected");
  for (const auto& [mode, bytes] : totals.bytes_by_mode)
    count(bytes, "bytes by " + std::string(mode));
  for (const auto& [policy, bytes] : totals.bytes_by_policy) {
    count(bytes, "bytes with cache policy " + NameOf(policy));
  }
  seconds(real, "seconds real");
  seconds(Seconds(usage.ru_utime), "seconds user");
  seconds(Seconds(usage.ru_stime), "seconds sys");
  count(static_cast<std::uint64_t>(usage.ru_minflt), "minor faults");
  count(static_cast<std::uint64_t>(usage.ru_majflt), "major faults");
  count(static_cast<std::uint64_t>(usage.ru_inblock), "blocks of 512 bytes read from disk");
  if (totals.depth.started > 0) {
    count(totals.depth.started, "reads ahead");
    fmt::format_to(std::back_inserter(text), "{:>14.1f}  reads under way on average\n",
                   totals.depth.mean());
    count(totals.depth.most, "reads under way at most");
  }
  const io::CacheTotals& cache = totals.cache;
  if (cache.resident + cache.added + cache.passed + cache.unknown > 0) {
    count(cache.resident, "bytes found in the page cache and left there");
    count(cache.added, "bytes added to the page cache");
    count(cache.passed, "bytes passed by the page cache");
    count(cache.unknown, "bytes left in the page cache, residency unknown");
  }
  count(totals.pages_resident_before, "pages resident before");
  count(totals.pages_resident_after, "pages resident after");
  if (totals.pages_unknown > 0) count(totals.pages_unknown, "pages of unknown residency");
  return text;
}

std::string FormatJson(const search::Totals& totals, const rusage& usage, double real) {
  nlohmann::ordered_json json;
  json["files"] = totals.files;
  json["bytes"] = totals.bytes;
  json["selected_lines"] = totals.selected_lines;
  json["bytes_by_mode"] = nlohmann::ordered_json::object();
  for (const auto& [mode, bytes] : totals.bytes_by_mode)
    json["bytes_by_mode"][std::string(mode)] = bytes;
  json["bytes_by_policy"] = nlohmann::ordered_json::object();
  for (const auto& [policy, bytes] : totals.bytes_by_policy) {
    json["bytes_by_policy"][NameOf(policy)] = bytes;
  }
  json["real_seconds"] = real;
  json["user_seconds"] = Seconds(usage.ru_utime);
  json["sys_seconds"] = Seconds(usage.ru_stime);
  json["minor_faults"] = usage.ru_minflt;
  json["major_faults"] = usage.ru_majflt;
  json["blocks_read"] = usage.ru_inblock;
  json["reads_ahead"] = {{"started", totals.depth.started},
                         {"under_way_mean", totals.depth.mean()},
                         {"under_way_most", totals.depth.most}};
  json["cache_bytes"] = {{"resident", totals.cache.resident},
                         {"added", totals.cache.added},
                         {"passed", totals.cache.passed},
                         {"unknown", totals.cache.unknown}};
  json["pages_resident_before"] = totals.pages_resident_before;
  json["pages_resident_after"] = totals.pages_resident_after;
  json["pages_unknown"] = totals.pages_unknown;
  return json.dump() + "\n";
}

}  // namespace

std::string FormatStats(StatsFormat format, const search::Totals& totals,
                        std::chrono::nanoseconds real) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double real_seconds = std::chrono::duration<double>(real).count();
  if (format == StatsFormat::kJson) return FormatJson(totals, usage, real_seconds);
  return FormatText(totals, usage, real_seconds);
}

}  // namespace mr::app
