#include "lab/studies/appcache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <utility>

#include "lab/data/random.h"
#include "lab/data/set.h"
#include "os/error.h"

namespace mr::lab {
namespace {

constexpr std::uint64_t kPopularitySeed = 1;

}  // namespace

std::vector<TreeFile> ListTree(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<TreeFile> files;
  std::uint64_t bytes = 0;
  std::string place = directory;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
      place = entry.path().string();
      if (!fs::is_regular_file(entry.symlink_status())) continue;
      files.push_back({.path = place, .size_bytes = entry.file_size()});
      bytes += files.back().size_bytes;
    }
  } catch (const fs::filesystem_error& error) {
    const fs::path& named = error.path1();
    throw os::IoError(named.empty() ? place : named.string(), error.code().value());
  }
  if (files.empty()) throw os::IoError(directory, "no files in it");
  if (bytes == 0) throw os::IoError(directory, "all files in it are empty");
  std::sort(files.begin(), files.end(),
            [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  return files;
}

AppcachePlan MakeAppcachePlan(const std::string& directory) {
  AppcachePlan plan;
  std::error_code error;
  plan.directory = std::filesystem::canonical(directory, error).string();
  if (error) throw os::IoError(directory, error.value());
  if (!std::filesystem::is_directory(plan.directory)) throw os::IoError(directory, ENOTDIR);
  for (const TreeFile& file : ListTree(plan.directory)) {
    ++plan.files;
    plan.bytes += file.size_bytes;
  }
  plan.pattern = kDefaultNeedle;
  return plan;
}

Json ToJson(const AppcachePlan& plan) {
  return {{"directory", plan.directory},
          {"files", plan.files},
          {"bytes", plan.bytes},
          {"pattern", plan.pattern},
          {"short_shares", plan.short_shares}};
}

AppcachePlan AppcachePlanFromJson(const Json& json) {
  AppcachePlan plan{.directory = json.at("directory").get<std::string>(),
                    .files = Whole<std::uint64_t>(json.at("files")),
                    .bytes = Whole<std::uint64_t>(json.at("bytes")),
                    .pattern = json.at("pattern").get<std::string>(),
                    .short_shares = json.at("short_shares").get<std::vector<double>>()};
  if (plan.files == 0 || plan.bytes == 0) throw RecordError("a plan of appcache without files");
  return plan;
}

std::string_view AccessPatternName(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::kCyclic:
      return "cyclic";
    case AccessPattern::kRandom:
      return "random";
    case AccessPattern::kSkewed:
      return "skewed";
  }
  return "";
}

std::vector<std::uint32_t> MakeAccesses(AccessPattern pattern, std::size_t files, std::size_t count,
                                        std::uint64_t seed) {
  std::vector<std::uint32_t> accesses(count);
  Random random(seed);
  if (pattern == AccessPattern::kCyclic) {
    for (std::size_t i = 0; i < count; ++i) accesses[i] = static_cast<std::uint32_t>(i % files);
  } else if (pattern == AccessPattern::kRandom) {
    for (std::uint32_t& access : accesses) access = static_cast<std::uint32_t>(random.Below(files));
  } else {
    std::vector<std::uint32_t> by_popularity(files);
    std::iota(by_popularity.begin(), by_popularity.end(), std::uint32_t{0});
    Random(kPopularitySeed).Shuffle(by_popularity);
    std::vector<double> up_to(files);
    double sum = 0;
    for (std::size_t i = 0; i < files; ++i) up_to[i] = sum += 1.0 / static_cast<double>(i + 1);
    for (std::uint32_t& access : accesses) {
      const auto drawn = std::lower_bound(up_to.begin(), up_to.end(), random.Unit() * sum);
      access = by_popularity[static_cast<std::size_t>(std::min(drawn, std::prev(up_to.end())) -
                                                      up_to.begin())];
    }
  }
  return accesses;
}

void PiecewiseSearch::Feed(std::string_view piece) {
  if (!carry_.empty()) {
    const std::size_t end = piece.find('\n');
    carry_ += piece.substr(0, end == std::string_view::npos ? end : end + 1);
    if (end == std::string_view::npos) return;
    lines_ += work_.Process(carry_);
    carry_.clear();
    piece.remove_prefix(end + 1);
  }
  const std::size_t last = piece.rfind('\n');
  const std::size_t whole = last == std::string_view::npos ? 0 : last + 1;
  if (whole > 0) lines_ += work_.Process(piece.substr(0, whole));
  carry_ = piece.substr(whole);
}

std::uint64_t PiecewiseSearch::Finish() {
  if (!carry_.empty()) lines_ += work_.Process(carry_);
  carry_.clear();
  return std::exchange(lines_, 0);
}

std::string ShortCell(double share, AccessPattern pattern) {
  return fmt::format("short {} {}", share, AccessPatternName(pattern));
}

}  // namespace mr::lab
