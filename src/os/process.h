// One child process, run to its end and measured.
//
// The figures are those of wait4(2) for exactly that child (and the descendants that it waited
// for itself), never RUSAGE_CHILDREN, which is a high-water mark over all earlier children.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mr::os {

// Where one of the child's three standard streams goes.
struct Stream {
  enum class Kind {
    kInherit,      // the caller's own
    kNull,         // /dev/null
    kFile,         // `path`: read for standard input, created or emptied for the others
    kAppend,       // `path`, output only: created, or written at its end
    kCapture,      // output only: kept, see Captured
    kCount,        // output only: bytes and lines counted, nothing kept
    kText,         // standard input only: `text` through a pipe
    kSameAsOutput  // standard error only: "2>&1"
  };
  Kind kind = Kind::kInherit;
  std::string path;                                    // kFile, kAppend
  std::string text;                                    // kText
  std::uint64_t keep_bytes = std::uint64_t{64} << 20;  // kCapture: more is counted, not kept

  static Stream Null() { return {.kind = Kind::kNull, .path = {}, .text = {}}; }
  static Stream File(std::string path) {
    return {.kind = Kind::kFile, .path = std::move(path), .text = {}};
  }
  static Stream Append(std::string path) {
    return {.kind = Kind::kAppend, .path = std::move(path), .text = {}};
  }
  static Stream Capture() { return {.kind = Kind::kCapture, .path = {}, .text = {}}; }
  static Stream Count() { return {.kind = Kind::kCount, .path = {}, .text = {}}; }
  static Stream Text(std::string text) {
    return {.kind = Kind::kText, .path = {}, .text = std::move(text)};
  }
  static Stream SameAsOutput() { return {.kind = Kind::kSameAsOutput, .path = {}, .text = {}}; }
};

// Which signals sent to this process while the child runs are passed on to the child instead of
// ending this process. Signals that were ignored when Run was called stay ignored.
enum class Forwarding {
  kNone,         // this process dies of them; the child stays behind
  kTermination,  // SIGINT, SIGQUIT, SIGTERM, SIGHUP
};

struct Command {
  std::vector<std::string> arguments;  // [0] is looked up in the child's PATH unless it has a '/'
  // Changes to the environment: a value, or nothing to remove the variable.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::string directory;  // empty: the caller's
  // cgroup.procs files that the child writes itself into before it becomes the command, so that
  // all it ever touches is charged there (MemoryLimit::procs_file).
  std::vector<std::string> cgroup_procs_files;
  Stream input;
  Stream output;
  Stream error;
  // A process group of its own: a timeout or forwarded signal reaches all its descendants, and
  // the terminal's Ctrl-C reaches only the caller. What is left of the group after the child's end
  // is killed. Such a child is stopped by the kernel when it reads from the terminal, so it needs
  // another input.
  bool own_process_group = false;
  std::optional<std::chrono::nanoseconds> timeout;  // then SIGTERM, 2 s later SIGKILL
  Forwarding forwarding = Forwarding::kNone;
};

// A command line for /bin/sh -c.
Command ShellCommand(std::string script);

// What came through a captured or counted stream. What processes left behind by the child write
// after its end is not waited for.
struct Captured {
  std::string text;         // kCapture only
  std::uint64_t bytes = 0;  // all that came, kept or not
  std::uint64_t lines = 0;  // newlines in it
};

// The child never became the command.
struct StartFailure {
  int error_number = 0;
  std::string what;             // the command's name, directory or cgroup file that failed
  bool exec = false;            // execve itself failed: the shell's 127 (not found) or 126
  int exit_status() const;      // 127, 126, or 125 where not even exec was reached
  std::string message() const;  // "nosuch: command not found", "/etc/passwd: Permission denied"
};

// struct rusage without the fields that Linux leaves at zero.
struct ResourceUsage {
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  // High-water mark in KiB. Linux lets a child inherit that of the process that forked it, plus
  // what execve itself touches (up to a few hundred KiB): a figure that is hardly above
  // ProcessResult::inherited_max_rss_kib says only "no more than this".
  std::int64_t max_rss_kib = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t input_blocks = 0;  // of 512 bytes, from and to storage
  std::int64_t output_blocks = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
};

// /proc/PID/io of the child after its end, descendants that it waited for included.
struct ProcessIo {
  std::uint64_t rchar_bytes = 0;  // through read(2) and the like, from the cache or not
  std::uint64_t wchar_bytes = 0;
  std::uint64_t read_bytes = 0;  // fetched from storage, page faults included
  std::uint64_t write_bytes = 0;
  std::uint64_t read_calls = 0;
  std::uint64_t write_calls = 0;
};

struct ProcessResult {
  std::optional<StartFailure> start_failure;  // then the rest is about the failed attempt
  int exit_code = 0;                          // when signal is 0
  int signal = 0;                             // that ended the child
  bool core_dumped = false;
  bool timed_out = false;
  int forwarded_signal = 0;         // the last signal that was passed on
  bool left_processes = false;      // own_process_group: members of the group outlived the child
  std::chrono::nanoseconds wall{};  // steady clock, from just before execve to the end
  ResourceUsage usage;
  std::int64_t inherited_max_rss_kib = 0;
  std::optional<ProcessIo> io;  // nothing when /proc would not tell (set-user-ID children)
  Captured output;
  Captured error;

  bool succeeded() const { return !start_failure && signal == 0 && exit_code == 0; }
  // As a shell reports it: the exit code, 128 + signal, or StartFailure::exit_status().
  int shell_status() const;
};

// Runs `command` and waits for its end. Failures to start are part of the result. Throws IoError
// where the caller's own side fails: a redirection that cannot be opened, no pipe, no process.
// Blocks the forwarded signals in the calling thread only: with Forwarding::kTermination, other
// threads must have blocked them too. Otherwise any number of threads may call it at once.
ProcessResult Run(const Command& command);

}  // namespace mr::os
