#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/size.h"
#include "lab/data/set.h"
#include "os/machine.h"
#include "os/memory_limit.h"

namespace mr::lab {
namespace {

constexpr std::array<std::pair<DataKind, std::string_view>, 8> kKinds = {{
    {DataKind::kLog, "log"},
    {DataKind::kSource, "source"},
    {DataKind::kProse, "prose"},
    {DataKind::kCyrillic, "cyrillic"},
    {DataKind::kWords, "words"},
    {DataKind::kRandom, "random"},
    {DataKind::kOneLine, "oneline"},
    {DataKind::kSparse, "sparse"},
}};

constexpr std::size_t kMaxNeedleBytes = 1000;
constexpr std::uint64_t kMaxSizeBytes = std::uint64_t{1} << 62;

std::uint64_t Unsigned(const nlohmann::json& value, std::string_view name) {
  if (!value.is_number_unsigned()) {
    throw DataSpecError(fmt::format("\"{}\" must be a whole number, not {}", name, value.dump()));
  }
  return value.get<std::uint64_t>();
}

std::string String(const nlohmann::json& value, std::string_view name) {
  if (!value.is_string()) {
    throw DataSpecError(fmt::format("\"{}\" must be a string, not {}", name, value.dump()));
  }
  return value.get<std::string>();
}

bool IsUtf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

DataKind KindOrThrow(std::string_view name) {
  if (const auto kind = ParseDataKind(name)) return *kind;
  std::string known;
  for (const auto& [kind, known_name] : kKinds) {
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  throw DataSpecError(fmt::format("unknown kind of data '{}' (there are {})", name, known));
}

}  // namespace

std::string_view DataKindName(DataKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(),
                      [&](const auto& entry) { return entry.first == kind; })
      ->second;
}

std::optional<DataKind> ParseDataKind(std::string_view name) {
  for (const auto& [kind, known] : kKinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

DataRequest ParseDataSpec(std::string_view json_text) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(json_text);
  } catch (const nlohmann::json::parse_error& error) {
    throw DataSpecError(fmt::format("not JSON (byte {})", error.byte));
  }
  if (!json.is_object()) throw DataSpecError("not a JSON object");
  DataRequest request;
  for (const auto& [name, value] : json.items()) {
    if (name == "kind") {
      request.kind = KindOrThrow(String(value, name));
    } else if (name == "size") {
      request.size = value.is_number_unsigned() ? value.dump() : String(value, name);
    } else if (name == "seed") {
      request.seed = Unsigned(value, name);
    } else if (name == "needle") {
      request.needle = String(value, name);
    } else if (name == "needles") {
      request.needles = Unsigned(value, name);
    } else if (name != "comment") {
      throw DataSpecError(fmt::format("unknown member \"{}\"", name));
    }
  }
  for (const char* name : {"kind", "size"}) {
    if (!json.contains(name)) throw DataSpecError(fmt::format("\"{}\" is missing", name));
  }
  return request;
}

std::uint64_t ParseDataSize(std::string_view text, std::uint64_t memory_bytes) {
  const auto bad = [&] {
    return DataSpecError(fmt::format(
        "bad size '{}': a size is a number of bytes, 512M, 2G, or a multiple of the memory such as "
        "2x or 1.5x",
        text));
  };
  std::uint64_t bytes = 0;
  if (!text.ends_with('x')) {
    const auto parsed = io::ParseSize(text);
    if (!parsed) throw bad();
    bytes = *parsed;
  } else {
    // As whole numbers, so that 1.1x is the same everywhere: digits / scale.
    std::uint64_t digits = 0;
    std::uint64_t scale = 0;  // 0 before the point
    std::size_t count = 0;
    for (const char c : text.substr(0, text.size() - 1)) {
      if (c == '.' && scale == 0) {
        scale = 1;
      } else if (c >= '0' && c <= '9' && ++count <= 9) {
        digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
        scale *= 10;
      } else {
        throw bad();
      }
    }
    if (count == 0 || scale == 1) throw bad();
    using Wide = unsigned __int128;
    const Wide product = Wide{memory_bytes} * digits / std::max<std::uint64_t>(scale, 1);
    bytes = static_cast<std::uint64_t>(std::min(product, Wide{kMaxSizeBytes} + 1));
  }
  if (bytes == 0) throw DataSpecError(fmt::format("bad size '{}': no bytes at all", text));
  if (bytes > kMaxSizeBytes) throw DataSpecError(fmt::format("bad size '{}': too large", text));
  return bytes;
}

DataSpec ResolveDataSpec(const DataRequest& request, std::uint64_t memory_bytes) {
  DataSpec spec;
  spec.kind = request.kind;
  spec.size_bytes = ParseDataSize(request.size, memory_bytes);
  spec.seed = request.seed;
  spec.needle = request.needle;
  spec.needles = request.needles;
  if (spec.needle.empty()) throw DataSpecError("the needle is empty");
  if (spec.needle.find('\n') != std::string::npos) {
    throw DataSpecError("the needle holds a newline, and so fits on no line");
  }
  if (spec.needle.find('\0') != std::string::npos) throw DataSpecError("the needle holds a NUL");
  if (spec.needle.size() > kMaxNeedleBytes) {
    throw DataSpecError(
        fmt::format("the needle is {} bytes long; no line has room for more than {}",
                    spec.needle.size(), kMaxNeedleBytes));
  }
  if (!IsUtf8(spec.needle)) throw DataSpecError("the needle is not UTF-8");
  if (spec.kind == DataKind::kOneLine && spec.needles > 1) {
    throw DataSpecError(fmt::format(
        "{} needles are wanted, but a file of one line has room for one", spec.needles));
  }
  return spec;
}

std::uint64_t AvailableMemoryBytes() {
  const std::uint64_t physical = os::DescribeMachine().memory_bytes;
  return std::min(physical, os::InheritedMemoryLimit().value_or(physical));
}

}  // namespace mr::lab
