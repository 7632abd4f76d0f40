// Data sets: files to search, made from a few parameters, that can be made again anywhere.
//
// The bytes of a file depend on its DataSpec alone, not on the machine, the compiler or the
// number of chunks that were made before: two people with the same spec search the same bytes.
// The needle stands on exactly `needles` lines and nowhere else, so that the result of every
// search for it is known beforehand. Beside each FILE lies FILE.json, its sidecar. FILE gets its
// name last, so that a file by that name is complete.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mr::lab {

enum class DataKind {
  kLog,       // timestamps, levels, hosts, request ids, messages
  kSource,    // C: functions, nested blocks, comments, macros
  kProse,     // English-like paragraphs wrapped at 72 columns
  kCyrillic,  // the same in Russian-like words, UTF-8
  kWords,     // a word on each line
  kRandom,    // bytes without any structure
  kOneLine,   // one line of minified JSON
  kSparse,    // islands of log lines in a sea of holes
};

// "log", "source", "prose", "cyrillic", "words", "random", "oneline", "sparse".
std::string_view DataKindName(DataKind kind);
std::optional<DataKind> ParseDataKind(std::string_view name);

// Parameters that make no sense. what() is one line for the user.
class DataSpecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view kDefaultNeedle = "dfhfhdsfhjdsfl";

struct DataSpec {
  DataKind kind = DataKind::kLog;
  std::uint64_t size_bytes = 0;
  std::uint64_t seed = 1;
  std::string needle{kDefaultNeedle};  // UTF-8 without newline
  std::uint64_t needles = 0;           // lines that hold the needle; 0: it does not occur

  bool operator==(const DataSpec&) const = default;
};

// A spec as written down, before it is known how much memory "2x" is.
struct DataRequest {
  DataKind kind = DataKind::kLog;
  std::string size;  // see ParseDataSize
  std::uint64_t seed = 1;
  std::string needle{kDefaultNeedle};
  std::uint64_t needles = 0;
};

// From the text of a spec file: a JSON object with "kind" and "size", and perhaps "seed",
// "needle", "needles" and "comment". Throws DataSpecError, also for unknown members.
DataRequest ParseDataSpec(std::string_view json_text);

// A size as io::ParseSize reads it, or "2x", "1.5x": that many times `memory_bytes`, rounded
// down. Throws DataSpecError.
std::uint64_t ParseDataSize(std::string_view text, std::uint64_t memory_bytes);

// Checks everything that can be checked without making data. Throws DataSpecError.
DataSpec ResolveDataSpec(const DataRequest& request, std::uint64_t memory_bytes);

// The memory that this process may fill, and so what "2x" is a multiple of: the smallest memory
// limit of the enclosing control groups (v1 or v2), at most the physical memory.
std::uint64_t AvailableMemoryBytes();

// What is known about a finished data file.
struct DataSidecar {
  DataSpec spec;
  std::uint64_t lines = 0;                    // newline bytes in the file
  std::vector<std::uint64_t> needle_offsets;  // the first 1000, ascending
  std::string checksum;                       // XXH128 of the whole file, as xxh128sum prints it
  std::uint64_t generator_version = 0;
  std::string program_version;
};

std::string SidecarPath(const std::string& data_path);

// Nothing when `data_path` has no sidecar. Throws os::IoError when the sidecar cannot be read or
// is mangled, or when the data file is missing or not of the size its sidecar says.
std::optional<DataSidecar> ReadSidecar(const std::string& data_path);

enum class DataPhase {
  kPlan,      // count the lines that could hold a needle; only when there are to be many
  kGenerate,  // into the page cache
  kSync,      // to the disk
  kVerify,
};

// Called now and then with the bytes done so far; returning false ends the work.
using DataProgress =
    std::function<bool(DataPhase, std::uint64_t done_bytes, std::uint64_t total_bytes)>;

// The progress callback returned false. Nothing has been left behind.
class DataInterrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct DataOutcome {
  DataSidecar sidecar;
  bool generated = false;  // false: the complete file was there already
  std::chrono::nanoseconds write_time{0};
  std::chrono::nanoseconds sync_time{0};
};

// Makes `data_path` and its sidecar, unless both are there, belong to `spec` and pass a spot
// check; `force` makes them anyway, and in place of a file that was not made by this function.
// The data is written to `data_path`.partial, synced and renamed. Throws os::IoError (no room, no
// permission, a file there that has no sidecar, another process at work on the same file),
// DataSpecError (no room for the needles, or the needle occurs in the data by itself) and
// DataInterrupted; an earlier file at `data_path` is untouched then.
DataOutcome GenerateData(const DataSpec& spec, const std::string& data_path, bool force,
                         const DataProgress& progress);

// Reads the whole file and compares it with its sidecar. Each finding is a line for the user;
// none means that the file is what it should be. Throws as ReadSidecar, os::IoError when there is
// no sidecar, and DataInterrupted.
std::vector<std::string> VerifyData(const std::string& data_path, const DataProgress& progress);

}  // namespace mr::lab
