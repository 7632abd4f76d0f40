#include "lab/log/log_header.h"

#include <fmt/format.h>

namespace mr::lab {

void CheckLogKind(const Json& json, const char* kind) {
  const auto actual = json.at("mrbench").get<std::string>();
  if (actual != kind) {
    throw RecordError(fmt::format("a log of mrbench {}, not of mrbench {}", actual, kind));
  }
  if (json.at("format") != kLogFormat) {
    throw RecordError(
        fmt::format("log format {} is not known to this version", json.at("format").dump()));
  }
}

Json HeaderJson(const char* kind, Json plan, const Truth& truth, const std::string& started,
                const Json& environment, const std::vector<std::string>& warnings) {
  return {{"mrbench", kind},
          {"format", kLogFormat},
          {"version", MRGREP_VERSION},
          {"started", started},
          {"plan", std::move(plan)},
          {"truth", ToJson(truth)},
          {"environment", environment},
          {"warnings", warnings}};
}

bool IsEvent(const Json& line) { return line.contains("event"); }

LogEvent EventFromJson(const Json& line) {
  return {.name = line.at("event").get<std::string>(),
          .time = line.at("time").get<std::string>(),
          .text = line.at("text").get<std::string>()};
}

Json ToJson(const LogEvent& event) {
  return {{"event", event.name}, {"time", event.time}, {"text", event.text}};
}

}  // namespace mr::lab
