// Standard output and standard error of a search.
#pragma once

#include <string>
#include <string_view>

#include "search/sink.h"

namespace mr::print {

// Collects what is written and hands it to write(2) in large pieces. A closed pipe ends the
// process by SIGPIPE; where that signal is ignored, and for any other failure, OutputError is
// thrown ("write error: No space left on device") and everything still held is dropped. For one
// thread at a time. The destructor does not flush: call Flush, which can fail.
class StandardOutput : public search::Output {
 public:
  enum class Buffering {
    kBlocks,
    kWrites,  // hand over each Write at once: --line-buffered, terminals
  };

  // Messages begin with `program_name`. With `quiet_files`, those of Severity::kFileError are
  // dropped (-s).
  StandardOutput(std::string program_name, Buffering buffering, bool quiet_files);

  void Write(std::string_view bytes) override;
  void Message(search::Severity severity, std::string_view text) override;
  void Flush();

 private:
  void WriteThrough(std::string_view bytes);

  const std::string program_name_;
  const Buffering buffering_;
  const bool quiet_files_;
  std::string held_;
};

// "NAME: TEXT" as a line on standard error, in one write(2). Failures have nowhere to go.
void WriteMessage(std::string_view program_name, std::string_view text);

// `text` as it is on standard error.
void WriteError(std::string_view text);

}  // namespace mr::print
