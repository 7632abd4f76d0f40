#include "lab/log/record.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

namespace mr::lab {
namespace {

// Names of files and what programs print may hold any byte, JSON holds UTF-8 only: other text is
// kept as {"bytes": [...]}.
Json TextToJson(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
    return text;
  } catch (const nlohmann::json::type_error&) {
    Json bytes = Json::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return Json{{"bytes", bytes}};
  }
}

std::string TextFromJson(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string text;
  for (const Json& byte : json.at("bytes")) text += static_cast<char>(Whole<unsigned char>(byte));
  return text;
}

template <typename T>
Json OptionalToJson(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
std::optional<T> OptionalFromJson(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if constexpr (std::is_integral_v<T>) return Whole<T>(json);
  return json.get<T>();
}

template <typename T>
T Known(const std::optional<T>& parsed, const Json& json) {
  if (!parsed) throw RecordError(fmt::format("unknown value {}", json.dump()));
  return *parsed;
}

// "12*2048,1000,51*0": neighbouring pieces are mostly all resident or all not.
std::string PackMap(const std::vector<std::uint64_t>& pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size();) {
    std::size_t end = i + 1;
    while (end < pieces.size() && pieces[end] == pieces[i]) ++end;
    if (!text.empty()) text += ',';
    if (end - i > 1) text += fmt::format("{}*", end - i);
    text += std::to_string(pieces[i]);
    i = end;
  }
  return text;
}

std::vector<std::uint64_t> UnpackMap(const Json& json) {
  constexpr std::uint64_t kMostPieces = 1 << 16;
  if (json.is_array()) return WholeList<std::uint64_t>(json);  // of the first logs
  std::vector<std::uint64_t> pieces;
  const auto text = json.get<std::string>();
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read = [&] {
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc()) throw RecordError("a map of pages that cannot be read");
    at = rest;
    return value;
  };
  while (at != end) {
    std::uint64_t count = 1;
    std::uint64_t value = read();
    if (at != end && *at == '*') {
      ++at;
      count = std::exchange(value, read());
      if (count > kMostPieces) throw RecordError("a map of too many pieces");
    }
    pieces.insert(pieces.end(), count, value);
    if (at != end && *at++ != ',') throw RecordError("a map of pages that cannot be read");
  }
  return pieces;
}

Json ToJson(const CacheState& state) {
  return {{"total_pages", state.total_pages},
          {"resident_pages", OptionalToJson(state.resident_pages)},
          {"resident_map", PackMap(state.resident_map)},
          {"charged_bytes", OptionalToJson(state.charged_bytes)}};
}

CacheState CacheStateFromJson(const Json& json) {
  return {.total_pages = Whole<std::uint64_t>(json.at("total_pages")),
          .resident_pages = OptionalFromJson<std::uint64_t>(json.at("resident_pages")),
          .resident_map = UnpackMap(json.at("resident_map")),
          .charged_bytes = OptionalFromJson<std::uint64_t>(json.at("charged_bytes"))};
}

Json ToJson(const os::ResourceUsage& usage) {
  return {{"user_us", usage.user.count()},
          {"system_us", usage.system.count()},
          {"max_rss_kib", usage.max_rss_kib},
          {"minor_faults", usage.minor_faults},
          {"major_faults", usage.major_faults},
          {"input_blocks", usage.input_blocks},
          {"output_blocks", usage.output_blocks},
          {"voluntary_switches", usage.voluntary_switches},
          {"involuntary_switches", usage.involuntary_switches}};
}

os::ResourceUsage UsageFromJson(const Json& json) {
  return {.user = std::chrono::microseconds(Whole<std::int64_t>(json.at("user_us"))),
          .system = std::chrono::microseconds(Whole<std::int64_t>(json.at("system_us"))),
          .max_rss_kib = Whole<std::int64_t>(json.at("max_rss_kib")),
          .minor_faults = Whole<std::int64_t>(json.at("minor_faults")),
          .major_faults = Whole<std::int64_t>(json.at("major_faults")),
          .input_blocks = Whole<std::int64_t>(json.at("input_blocks")),
          .output_blocks = Whole<std::int64_t>(json.at("output_blocks")),
          .voluntary_switches = Whole<std::int64_t>(json.at("voluntary_switches")),
          .involuntary_switches = Whole<std::int64_t>(json.at("involuntary_switches"))};
}

Json ToJson(const std::optional<os::ProcessIo>& io) {
  if (!io) return nullptr;
  return {{"rchar_bytes", io->rchar_bytes}, {"wchar_bytes", io->wchar_bytes},
          {"read_bytes", io->read_bytes},   {"write_bytes", io->write_bytes},
          {"read_calls", io->read_calls},   {"write_calls", io->write_calls}};
}

std::optional<os::ProcessIo> IoFromJson(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return os::ProcessIo{.rchar_bytes = Whole<std::uint64_t>(json.at("rchar_bytes")),
                       .wchar_bytes = Whole<std::uint64_t>(json.at("wchar_bytes")),
                       .read_bytes = Whole<std::uint64_t>(json.at("read_bytes")),
                       .write_bytes = Whole<std::uint64_t>(json.at("write_bytes")),
                       .read_calls = Whole<std::uint64_t>(json.at("read_calls")),
                       .write_calls = Whole<std::uint64_t>(json.at("write_calls"))};
}

// Counters that did not move are left out: /proc/vmstat has some 180 of them.
Json ToJson(const os::Counters& counters) {
  Json json = Json::object();
  for (const auto& [name, value] : counters) {
    if (value != 0) json[name] = value;
  }
  return json;
}

os::Counters CountersFromJson(const Json& json) {
  os::Counters counters;
  for (const auto& [name, value] : json.items()) counters[name] = Whole<std::int64_t>(value);
  return counters;
}

// A list for each figure: names are not repeated for every moment.
Json ToJson(const RunTrace& trace) {
  Json json = {{"peak_charged_bytes", OptionalToJson(trace.peak_charged_bytes)},
               {"cpu_mhz", OptionalToJson(trace.cpu_mhz)}};
  for (const char* name : {"at_ms", "disk_bytes", "major_faults", "io_pressure_us"}) {
    json[name] = Json::array();
  }
  for (const Moment& moment : trace.moments) {
    json["at_ms"].push_back(moment.at.count());
    json["disk_bytes"].push_back(moment.disk_bytes);
    json["major_faults"].push_back(moment.major_faults);
    json["io_pressure_us"].push_back(moment.io_pressure_us);
    if (moment.charged_bytes) json["charged_bytes"].push_back(*moment.charged_bytes);
  }
  return json;
}

RunTrace TraceFromJson(const Json& json) {
  RunTrace trace;
  trace.peak_charged_bytes = OptionalFromJson<std::uint64_t>(json.at("peak_charged_bytes"));
  trace.cpu_mhz = OptionalFromJson<double>(json.at("cpu_mhz"));
  const Json& times = json.at("at_ms");
  // Where a moment lacks it, nobody can tell which: then it is known of none.
  const Json charged = json.value("charged_bytes", Json::array());
  for (std::size_t i = 0; i < times.size(); ++i) {
    Moment moment{.at = std::chrono::milliseconds(Whole<std::int64_t>(times.at(i))),
                  .disk_bytes = Whole<std::uint64_t>(json.at("disk_bytes").at(i)),
                  .major_faults = Whole<std::int64_t>(json.at("major_faults").at(i)),
                  .io_pressure_us = Whole<std::int64_t>(json.at("io_pressure_us").at(i)),
                  .charged_bytes = {}};
    if (charged.size() == times.size()) moment.charged_bytes = Whole<std::uint64_t>(charged.at(i));
    trace.moments.push_back(moment);
  }
  return trace;
}

}  // namespace

void ThrowNoWholeNumber(const Json& json) {
  // What nests may nest deeper than the stack.
  throw RecordError(json.is_primitive()
                        ? fmt::format("{} where a whole number belongs, or too large", json.dump())
                        : fmt::format("an {} where a number belongs", json.type_name()));
}

void TrialNumbers::Add(int trial, int attempt) {
  if (!seen_.insert({trial, attempt}).second) {
    throw RecordError(fmt::format("trial {} is there twice", trial + 1));
  }
}

Json ToJson(const Plan& plan) {
  Json arms = Json::array();
  for (const Arm& arm : plan.arms) {
    arms.push_back({{"name", TextToJson(arm.name)}, {"command", TextToJson(arm.command)}});
  }
  return {{"arms", arms},
          {"design", DesignName(plan.design)},
          {"blocks", plan.blocks},
          {"seed", plan.seed},
          {"pattern", TextToJson(plan.pattern)},
          {"file", TextToJson(plan.file)},
          {"file_bytes", plan.file_bytes},
          {"counting", CountingName(plan.counting)},
          {"memory_bytes", OptionalToJson(plan.memory_bytes)},
          {"disk_bytes_per_second", OptionalToJson(plan.disk_bytes_per_second)},
          {"timeout_s", plan.timeout.count()}};
}

Plan PlanOfAnySizeFromJson(const Json& json) {
  Plan plan;
  for (const Json& arm : json.at("arms")) {
    plan.arms.push_back({TextFromJson(arm.at("name")), TextFromJson(arm.at("command"))});
    if (plan.arms.back().name.empty()) throw RecordError("an arm without a name");
  }
  plan.design = Known(ParseDesign(json.at("design").get<std::string>()), json.at("design"));
  plan.blocks = Whole<int>(json.at("blocks"));
  plan.seed = Whole<std::uint64_t>(json.at("seed"));
  plan.pattern = TextFromJson(json.at("pattern"));
  plan.file = TextFromJson(json.at("file"));
  plan.file_bytes = Whole<std::uint64_t>(json.at("file_bytes"));
  plan.counting = Known(ParseCounting(json.at("counting").get<std::string>()), json.at("counting"));
  plan.memory_bytes = OptionalFromJson<std::uint64_t>(json.at("memory_bytes"));
  plan.disk_bytes_per_second = OptionalFromJson<std::uint64_t>(json.at("disk_bytes_per_second"));
  plan.timeout = std::chrono::seconds(Whole<std::int64_t>(json.at("timeout_s")));
  if (plan.arms.empty() || plan.blocks < 1) throw RecordError("a plan without arms or blocks");
  return plan;
}

Plan PlanFromJson(const Json& json) {
  Plan plan = PlanOfAnySizeFromJson(json);
  if (TooManyTrials(static_cast<std::uint64_t>(plan.blocks), TrialsPerBlock(plan))) {
    throw RecordError("a plan of too many trials");
  }
  return plan;
}

Json ToJson(const Truth& truth) {
  return {{"matches", OptionalToJson(truth.matches)}, {"source", truth.source}};
}

Truth TruthFromJson(const Json& json) {
  return {.matches = OptionalFromJson<std::uint64_t>(json.at("matches")),
          .source = json.at("source").get<std::string>()};
}

Json ToJson(const Observation& row) {
  return {{"trial", row.trial.index},
          {"block", row.trial.block},
          {"unit", row.trial.unit},
          {"arm", row.trial.arm},
          {"previous", OptionalToJson(row.trial.previous)},
          {"attempt", row.attempt},
          {"outcome", OutcomeName(row.outcome)},
          {"reason", TextToJson(row.reason)},
          {"started", row.started},
          {"real_ns", row.real.count()},
          {"usage", ToJson(row.usage)},
          {"io", ToJson(row.io)},
          {"exit_status", row.exit_status},
          {"matches", OptionalToJson(row.matches)},
          {"output_bytes", row.output_bytes},
          {"before", ToJson(row.before)},
          {"after", ToJson(row.after)},
          {"vmstat", ToJson(row.vmstat)},
          {"pressure_us", ToJson(row.pressure)},
          {"group", ToJson(row.group)},
          {"cpu_us", ToJson(row.cpu)},
          {"trace", ToJson(row.trace)}};
}

Observation ObservationFromJson(const Json& json) {
  Observation row;
  row.trial = {.index = Whole<int>(json.at("trial")),
               .block = Whole<int>(json.at("block")),
               .unit = Whole<int>(json.at("unit")),
               .arm = Whole<int>(json.at("arm")),
               .previous = OptionalFromJson<int>(json.at("previous"))};
  row.attempt = Whole<int>(json.at("attempt"));
  row.outcome = Known(ParseOutcome(json.at("outcome").get<std::string>()), json.at("outcome"));
  row.reason = TextFromJson(json.at("reason"));
  row.started = json.at("started").get<std::string>();
  row.real = std::chrono::nanoseconds(Whole<std::int64_t>(json.at("real_ns")));
  row.usage = UsageFromJson(json.at("usage"));
  row.io = IoFromJson(json.at("io"));
  row.exit_status = Whole<int>(json.at("exit_status"));
  row.matches = OptionalFromJson<std::uint64_t>(json.at("matches"));
  row.output_bytes = Whole<std::uint64_t>(json.at("output_bytes"));
  row.before = CacheStateFromJson(json.at("before"));
  row.after = CacheStateFromJson(json.at("after"));
  row.vmstat = CountersFromJson(json.at("vmstat"));
  row.pressure = CountersFromJson(json.at("pressure_us"));
  row.group = CountersFromJson(json.at("group"));
  if (json.contains("cpu_us")) row.cpu = CountersFromJson(json.at("cpu_us"));
  if (json.contains("trace")) row.trace = TraceFromJson(json.at("trace"));
  if (row.trial.index < 0 || row.trial.block < 0 || row.trial.unit < 0 || row.attempt < 1 ||
      row.real.count() < 0) {
    throw RecordError("a trial with a negative number or time");
  }
  return row;
}

}  // namespace mr::lab
