#include "lab/compare/plan.h"

#include <fmt/format.h>

#include "lab/data/random.h"

namespace mr::lab {

std::string_view CacheStartName(CacheStart start) {
  return start == CacheStart::kCold ? "cold" : "warm";
}

std::optional<CacheStart> ParseCacheStart(std::string_view name) {
  for (const CacheStart start : {CacheStart::kCold, CacheStart::kWarm}) {
    if (name == CacheStartName(start)) return start;
  }
  return std::nullopt;
}

std::vector<CompareTrial> MakeCompareSchedule(const ComparePlan& plan) {
  Random random(plan.seed);
  std::vector<CompareTrial> schedule;
  for (int block = 0; block < plan.blocks; ++block) {
    std::vector<CompareTrial> trials;
    for (int place = 0; place < static_cast<int>(plan.places.size()); ++place) {
      for (const CacheStart start : plan.places[place].starts) {
        for (int arm = 0; arm < static_cast<int>(plan.arms.size()); ++arm) {
          trials.push_back(
              {.index = 0, .block = block, .place = place, .start = start, .arm = arm});
        }
      }
    }
    random.Shuffle(trials);
    for (CompareTrial& trial : trials) {
      trial.index = static_cast<int>(schedule.size());
      schedule.push_back(trial);
    }
  }
  return schedule;
}

std::size_t TrialsPerBlock(const ComparePlan& plan) {
  std::size_t starts = 0;
  for (const ComparePlace& place : plan.places) starts += place.starts.size();
  return starts * plan.arms.size();
}

std::string DescribeSchedule(const ComparePlan& plan, const std::vector<CompareTrial>& schedule) {
  std::string text;
  for (const CompareTrial& trial : schedule) {
    text += fmt::format("{:4} block {:3}  {} {} at {}\n", trial.index + 1, trial.block + 1,
                        CacheStartName(trial.start), plan.arms[trial.arm].name,
                        plan.places[trial.place].name);
  }
  return text;
}

Plan PlanAt(const ComparePlan& plan, int place) {
  Plan result;
  result.arms = plan.arms;
  result.blocks = plan.blocks;
  result.seed = plan.seed;
  result.pattern = plan.pattern;
  result.file = plan.places[place].data;
  result.file_bytes = plan.data_bytes;
  result.counting = plan.counting;
  result.timeout = plan.timeout;
  return result;
}

Json ToJson(const ComparePlan& plan) {
  // Arms, pattern and the like are written as in a log of pairs.
  Plan common;
  common.arms = plan.arms;
  common.pattern = plan.pattern;
  common.counting = plan.counting;
  const Json base = ToJson(common);
  Json places = Json::array();
  for (const ComparePlace& place : plan.places) {
    Json starts = Json::array();
    for (const CacheStart start : place.starts) starts.push_back(CacheStartName(start));
    places.push_back({{"name", place.name},
                      {"data", place.data},
                      {"type", place.type},
                      {"backing", place.backing},
                      {"starts", starts}});
  }
  return {{"arms", base.at("arms")},
          {"places", places},
          {"blocks", plan.blocks},
          {"seed", plan.seed},
          {"pattern", base.at("pattern")},
          {"source", plan.source},
          {"files", plan.files},
          {"data_bytes", plan.data_bytes},
          {"checksum", plan.checksum},
          {"counting", base.at("counting")},
          {"timeout_s", plan.timeout.count()}};
}

ComparePlan ComparePlanFromJson(const Json& json) {
  Plan common;
  Json base = ToJson(common);
  for (const char* name : {"arms", "pattern", "counting", "blocks", "seed", "timeout_s"}) {
    base[name] = json.at(name);
  }
  common = PlanOfAnySizeFromJson(base);
  ComparePlan plan;
  plan.arms = common.arms;
  plan.blocks = common.blocks;
  plan.seed = common.seed;
  plan.pattern = common.pattern;
  plan.counting = common.counting;
  plan.timeout = common.timeout;
  plan.source = json.at("source").get<std::string>();
  plan.files = Whole<std::uint64_t>(json.at("files"));
  plan.data_bytes = Whole<std::uint64_t>(json.at("data_bytes"));
  plan.checksum = json.at("checksum").get<std::string>();
  for (const Json& entry : json.at("places")) {
    ComparePlace& place = plan.places.emplace_back();
    place.name = entry.at("name").get<std::string>();
    place.data = entry.at("data").get<std::string>();
    place.type = entry.at("type").get<std::string>();
    place.backing = entry.at("backing").get<std::string>();
    for (const Json& name : entry.at("starts")) {
      const auto start = ParseCacheStart(name.get<std::string>());
      if (!start) throw RecordError(fmt::format("unknown value {}", name.dump()));
      place.starts.push_back(*start);
    }
  }
  if (plan.places.empty()) throw RecordError("a plan without places");
  if (TooManyTrials(static_cast<std::uint64_t>(plan.blocks), TrialsPerBlock(plan))) {
    throw RecordError("a plan of too many trials");
  }
  return plan;
}

}  // namespace mr::lab
