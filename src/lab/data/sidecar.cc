#include "lab/data/sidecar.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "os/error.h"
#include "os/text_file.h"

namespace mr::lab {
namespace {

constexpr std::string_view kFormat = "mrbench data 1";
constexpr std::string_view kAlgorithm = "XXH128";

}  // namespace

std::string SidecarPath(const std::string& data_path) { return data_path + ".json"; }

std::string FormatSidecar(const DataSidecar& sidecar) {
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["kind"] = DataKindName(sidecar.spec.kind);
  json["size_bytes"] = sidecar.spec.size_bytes;
  json["seed"] = sidecar.spec.seed;
  json["needle"] = sidecar.spec.needle;
  json["needles"] = sidecar.spec.needles;
  json["lines"] = sidecar.lines;
  json["checksum"] = {{"algorithm", kAlgorithm}, {"value", sidecar.checksum}};
  json["generator_version"] = sidecar.generator_version;
  json["program_version"] = sidecar.program_version;
  std::string text = json.dump(2);
  // The offsets on one line: they may be many.
  text.erase(text.rfind('\n'));
  text += ",\n  \"needle_offsets\": " + nlohmann::json(sidecar.needle_offsets).dump() + "\n}\n";
  return text;
}

DataSidecar ParseSidecar(const std::string& json_text, const std::string& path) {
  try {
    const nlohmann::json json = nlohmann::json::parse(json_text);
    if (json.at("format") != kFormat || json.at("checksum").at("algorithm") != kAlgorithm) {
      throw os::IoError(path, "a sidecar in an unknown format");
    }
    DataSidecar sidecar;
    const auto kind = ParseDataKind(json.at("kind").get<std::string>());
    if (!kind) throw os::IoError(path, "a sidecar of an unknown kind of data");
    sidecar.spec.kind = *kind;
    json.at("size_bytes").get_to(sidecar.spec.size_bytes);
    json.at("seed").get_to(sidecar.spec.seed);
    json.at("needle").get_to(sidecar.spec.needle);
    json.at("needles").get_to(sidecar.spec.needles);
    json.at("lines").get_to(sidecar.lines);
    json.at("needle_offsets").get_to(sidecar.needle_offsets);
    json.at("checksum").at("value").get_to(sidecar.checksum);
    json.at("generator_version").get_to(sidecar.generator_version);
    json.at("program_version").get_to(sidecar.program_version);
    return sidecar;
  } catch (const nlohmann::json::exception&) {
    throw os::IoError(path, "not a sidecar of mrbench data");
  }
}

std::optional<DataSidecar> ReadSidecar(const std::string& data_path) {
  const std::string path = SidecarPath(data_path);
  errno = 0;
  const std::optional<std::string> text = os::ReadText(path);
  if (!text && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!text) throw os::IoError(path, errno);
  DataSidecar sidecar = ParseSidecar(*text, path);

  struct stat info {};
  if (::stat(data_path.c_str(), &info) != 0) throw os::IoError(data_path, errno);
  const auto size_bytes = static_cast<std::uint64_t>(info.st_size);
  if (size_bytes != sidecar.spec.size_bytes) {
    throw os::IoError(data_path, fmt::format("{} bytes long, but {} by its sidecar {}", size_bytes,
                                             sidecar.spec.size_bytes, path));
  }
  return sidecar;
}

}  // namespace mr::lab
