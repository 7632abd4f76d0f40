#include "io/io_spec.h"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "io/size.h"

namespace mr::io {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 5> kModes = {{
    {"auto", Mode::kAuto},
    {"read", Mode::kRead},
    {"mmap", Mode::kMmap},
    {"direct", Mode::kDirect},
    {"uring", Mode::kUring},
}};

constexpr std::array<std::pair<std::string_view, Advice>, 4> kAdvice = {{
    {"normal", Advice::kNormal},
    {"sequential", Advice::kSequential},
    {"random", Advice::kRandom},
    {"willneed", Advice::kWillNeed},
}};

constexpr std::array<std::pair<std::string_view, CachePolicy>, 3> kPolicies = {{
    {"normal", CachePolicy::kNormal},
    {"keep", CachePolicy::kKeep},
    {"drop", CachePolicy::kDrop},
}};

template <typename Value, std::size_t N>
std::optional<Value> Lookup(const std::array<std::pair<std::string_view, Value>, N>& table,
                            std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) return value;
  }
  return std::nullopt;
}

template <typename Value, std::size_t N>
std::string_view NameOf(const std::array<std::pair<std::string_view, Value>, N>& table,
                        Value value) {
  for (const auto& [name, known] : table) {
    if (known == value) return name;
  }
  return {};
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::uint64_t ParseOptionSize(std::string_view name, std::string_view value,
                              std::string_view what = "size") {
  // The upper bound keeps every sum of a size and an offset within 64 bits.
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 50;
  const std::optional<std::uint64_t> size = ParseSize(value);
  if (!size || *size == 0 || *size > kLargest) {
    throw IoSpecError("invalid " + std::string(what) + " " + Quoted(value) + " for IO option " +
                      Quoted(name));
  }
  return *size;
}

bool HasOption(Mode mode, std::string_view name) {
  switch (mode) {
    case Mode::kRead:
      return name == "buffer";
    case Mode::kMmap:
      return name == "window" || name == "populate" || name == "advice";
    case Mode::kDirect:
      return name == "buffer" || name == "depth";
    case Mode::kUring:
      return name == "buffer" || name == "depth" || name == "direct";
    case Mode::kAuto:
      break;
  }
  return false;
}

void ParseOption(std::string_view option, std::string_view mode, IoSpec& spec) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::optional<std::string_view> value =
      equals == std::string_view::npos ? std::nullopt : std::optional(option.substr(equals + 1));
  if (!HasOption(spec.mode, name)) {
    throw IoSpecError("IO mode " + Quoted(mode) + " has no option " + Quoted(name));
  }
  const bool flag = name == "populate" || name == "direct";
  if (flag == value.has_value()) {
    throw IoSpecError("IO option " + Quoted(name) + (flag ? " takes no value" : " needs a value"));
  }
  if (name == "buffer") {
    spec.buffer_bytes = ParseOptionSize(name, *value);
  } else if (name == "depth") {
    constexpr std::uint64_t kDeepest = 256;
    const std::uint64_t depth = ParseOptionSize(name, *value, "number");
    if (depth > kDeepest) throw IoSpecError("depth " + Quoted(*value) + " is more than 256");
    spec.depth = static_cast<unsigned>(depth);
  } else if (name == "direct") {
    spec.direct = true;
  } else if (name == "window") {
    spec.window_bytes = ParseOptionSize(name, *value);
  } else if (name == "populate") {
    spec.populate = true;
  } else {
    const std::optional<Advice> advice = Lookup(kAdvice, *value);
    if (!advice) throw IoSpecError("unknown advice " + Quoted(*value));
    spec.advice = *advice;
  }
}

}  // namespace

int MadviseValue(Advice advice) {
  switch (advice) {
    case Advice::kSequential:
      return MADV_SEQUENTIAL;
    case Advice::kRandom:
      return MADV_RANDOM;
    case Advice::kWillNeed:
      return MADV_WILLNEED;
    case Advice::kNone:
    case Advice::kNormal:
      break;
  }
  return MADV_NORMAL;
}

IoSpec ParseIoSpec(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view mode_name = text.substr(0, colon);
  const std::optional<Mode> mode = Lookup(kModes, mode_name);
  if (!mode) throw IoSpecError("unknown IO mode " + Quoted(mode_name));
  IoSpec spec;
  spec.mode = *mode;
  if (colon == std::string_view::npos) return spec;
  std::string_view options = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = options.find(',');
    const std::string_view option = options.substr(0, comma);
    if (option.empty()) throw IoSpecError("empty option in IO mode " + Quoted(text));
    ParseOption(option, mode_name, spec);
    if (comma == std::string_view::npos) return spec;
    options.remove_prefix(comma + 1);
  }
}

CachePolicy ParseCachePolicy(std::string_view text) {
  const std::optional<CachePolicy> policy = Lookup(kPolicies, text);
  if (!policy) throw IoSpecError("unknown cache policy " + Quoted(text));
  return *policy;
}

}  // namespace mr::io
