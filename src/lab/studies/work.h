// What is done with a file's bytes once they are in memory: the "processing" of a study.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mr::lab {

enum class WorkKind {
  kNone,      // nothing: a mapping is made and never touched
  kTouch,     // one byte of each page
  kSum,       // every byte, eight at a time: the memory's own rate
  kMemcpy,    // copy into another buffer, in pieces that stay in the cache
  kSearch,    // count the lines that hold a text, with the engine and accelerator of mrgrep
  kTokenize,  // count words, numbers, strings and marks, as the front of a C compiler would
};

std::string_view WorkName(WorkKind kind);  // "none", "touch", "sum", "memcpy", "search", "tokenize"
std::optional<WorkKind> ParseWork(std::string_view name);

// Not thread-safe: one for each thread.
class Work {
 public:
  virtual ~Work() = default;
  // What came of it: a function of the bytes alone, the same however they came into memory.
  virtual std::uint64_t Process(std::string_view bytes) = 0;
};

// `pattern` is a fixed text, used by kSearch only. Throws pattern::PatternError.
std::unique_ptr<Work> MakeWork(WorkKind kind, const std::string& pattern);

}  // namespace mr::lab
