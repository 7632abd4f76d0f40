#include "os/process_launch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "os/error.h"

namespace mr::os {
namespace {

using Kind = Stream::Kind;

// What the child tells before it becomes the command, and once more if it does not. Shorter than
// PIPE_BUF, so that it arrives in one piece.
struct Report {
  enum class Stage : std::int32_t { kReady, kCgroup, kDirectory, kStream, kExec };
  Stage stage;
  std::int32_t error_number;
  std::int64_t index;  // of the cgroup file
  std::int64_t clock_ns;
  std::int64_t max_rss_kib;
};

// Takes ownership of `fd`. The child's descriptors are put in place with dup2 over 0, 1 and 2, so
// none of the sources may be one of those, which happens when this process was started with one
// of them closed.
Descriptor Own(int fd, const std::string& what) {
  if (fd < 0) throw IoError(what, errno);
  Descriptor original(fd);
  if (fd > STDERR_FILENO) return original;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) throw IoError(what, errno);
  return Descriptor(moved);
}

struct Pipe {
  Descriptor read_end, write_end;
};

Pipe MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw IoError("pipe", errno);
  Descriptor write_end(ends[1]);  // so that nothing leaks if the next line throws
  Descriptor read_end = Own(ends[0], "pipe");
  if (ends[1] > STDERR_FILENO) return {std::move(read_end), std::move(write_end)};
  const int moved = ::fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) throw IoError("pipe", errno);
  return {std::move(read_end), Descriptor(moved)};
}

Descriptor OpenInput(const Stream& stream) {
  switch (stream.kind) {
    case Kind::kInherit:
      return {};
    case Kind::kFile:
      return Own(::open(stream.path.c_str(), O_RDONLY | O_CLOEXEC), stream.path);
    case Kind::kText: {
      Descriptor memory = Own(::memfd_create("standard input", MFD_CLOEXEC), "memfd_create");
      for (std::size_t done = 0; done < stream.text.size();) {
        const ssize_t n =
            ::write(memory.get(), stream.text.data() + done, stream.text.size() - done);
        if (n < 0 && errno != EINTR) throw IoError("memfd", errno);
        if (n > 0) done += static_cast<std::size_t>(n);
      }
      if (::lseek(memory.get(), 0, SEEK_SET) < 0) throw IoError("memfd", errno);
      return memory;
    }
    default:
      return Own(::open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
  }
}

// The child's end; `ours` becomes the other end when there is a pipe.
Descriptor OpenOutput(const Stream& stream, Descriptor& ours) {
  switch (stream.kind) {
    case Kind::kInherit:
    case Kind::kSameAsOutput:
      return {};
    case Kind::kFile:
      return Own(::open(stream.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
                 stream.path);
    case Kind::kAppend:
      return Own(::open(stream.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666),
                 stream.path);
    case Kind::kCapture:
    case Kind::kCount: {
      Pipe pipe = MakePipe();
      // A roomy pipe keeps the child from waiting for us; refusal (the user's pipe quota) is fine.
      ::fcntl(pipe.read_end.get(), F_SETPIPE_SZ, 1 << 20);
      ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
      ours = std::move(pipe.read_end);
      return std::move(pipe.write_end);
    }
    default:
      return Own(::open("/dev/null", O_WRONLY | O_CLOEXEC), "/dev/null");
  }
}

std::vector<std::string> ChildEnvironment(const Command& command) {
  std::vector<std::string> result;
  const auto is_changed = [&command](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return std::any_of(command.environment.begin(), command.environment.end(),
                       [name](const auto& change) { return change.first == name; });
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!is_changed(*entry)) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : command.environment) {
    if (value) result.push_back(name + "=" + *value);
  }
  return result;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Everything the child needs, laid out before the fork: between fork and exec it may only make
// system calls, since another thread may have held any lock.
struct Prepared {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const Command* command;
  int streams[3] = {-1, -1, -1};
  bool error_is_output = false;
  int report_fd = -1;
  pid_t parent = -1;
  sigset_t mask;
};

std::int64_t MonotonicNanoseconds() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

[[noreturn]] void Fail(const Prepared& prepared, Report::Stage stage, std::int64_t index = 0) {
  const Report report{stage, errno, index, 0, 0};
  while (::write(prepared.report_fd, &report, sizeof report) < 0 && errno == EINTR) {
  }
  ::_exit(127);
}

bool EnterGroup(const char* procs_file) {
  const int fd = ::open(procs_file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t written;
  do {
    written = ::write(fd, "0", 1);  // 0 stands for the writer
  } while (written < 0 && errno == EINTR);
  if (written == 0) errno = EIO;
  const int error_number = errno;
  ::close(fd);
  errno = error_number;
  return written == 1;
}

[[noreturn]] void BecomeCommand(const Prepared& prepared) {
  const Command& command = *prepared.command;
  if (command.own_process_group) ::setpgid(0, 0);
  for (std::size_t i = 0; i < command.cgroup_procs_files.size(); ++i) {
    if (!EnterGroup(command.cgroup_procs_files[i].c_str())) {
      Fail(prepared, Report::Stage::kCgroup, static_cast<std::int64_t>(i));
    }
  }
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) {
    Fail(prepared, Report::Stage::kDirectory);
  }
  for (int target = 0; target < 3; ++target) {
    int source = prepared.streams[target];
    if (target == STDERR_FILENO && prepared.error_is_output) source = STDOUT_FILENO;
    if (source >= 0 && ::dup2(source, target) < 0) Fail(prepared, Report::Stage::kStream);
  }
  if (command.own_process_group) {
    // Nobody would measure or end it any more. A parent that has died already sends no signal.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != prepared.parent) ::_exit(127);
  }
  ::pthread_sigmask(SIG_SETMASK, &prepared.mask, nullptr);
  environ = const_cast<char**>(prepared.environment.data());

  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const Report report{Report::Stage::kReady, 0, 0, MonotonicNanoseconds(), usage.ru_maxrss};
  while (::write(prepared.report_fd, &report, sizeof report) < 0 && errno == EINTR) {
  }
  ::execvp(prepared.arguments[0], prepared.arguments.data());
  Fail(prepared, Report::Stage::kExec);
}

// Nothing at the end of the pipe.
std::optional<Report> ReadReport(int fd) {
  Report report;
  ssize_t n;
  do {
    n = ::read(fd, &report, sizeof report);
  } while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof report)) return std::nullopt;
  return report;
}

StartFailure Explain(const Report& report, const Command& command) {
  switch (report.stage) {
    case Report::Stage::kCgroup:
      return {report.error_number,
              command.cgroup_procs_files[static_cast<std::size_t>(report.index)], false};
    case Report::Stage::kDirectory:
      return {report.error_number, command.directory, false};
    case Report::Stage::kExec:
      return {report.error_number, command.arguments[0], true};
    default:
      return {report.error_number, "redirection", false};
  }
}

}  // namespace

UnreapedChild::~UnreapedChild() {
  if (pid_ < 0) return;
  ::kill(has_group_ ? -pid_ : pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

LaunchedChild Launch(const Command& command, const sigset_t& child_mask) {
  if (command.arguments.empty()) throw IoError("command", EINVAL);
  LaunchedChild child;
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = ChildEnvironment(command);
  Prepared prepared{.arguments = Pointers(arguments),
                    .environment = Pointers(environment),
                    .command = &command,
                    .error_is_output = command.error.kind == Kind::kSameAsOutput,
                    .parent = ::getpid(),
                    .mask = child_mask};
  const std::array<Descriptor, 3> streams = {OpenInput(command.input),
                                             OpenOutput(command.output, child.output),
                                             OpenOutput(command.error, child.error)};
  for (std::size_t i = 0; i < streams.size(); ++i) prepared.streams[i] = streams[i].get();
  Pipe report_pipe = MakePipe();
  prepared.report_fd = report_pipe.write_end.get();

  const pid_t pid = ::fork();
  if (pid < 0) throw IoError("fork", errno);
  if (pid == 0) BecomeCommand(prepared);
  report_pipe.write_end.Close();
  // The child does the same; whoever comes first makes the group exist before anybody signals it.
  if (command.own_process_group) ::setpgid(pid, pid);
  child.process = UnreapedChild(pid, command.own_process_group);
  child.pidfd = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
  if (!child.pidfd) throw IoError("pidfd_open", errno);

  std::optional<Report> report = ReadReport(report_pipe.read_end.get());
  if (report && report->stage == Report::Stage::kReady) {
    child.started =
        std::chrono::steady_clock::time_point(std::chrono::nanoseconds(report->clock_ns));
    child.inherited_max_rss_kib = report->max_rss_kib;
    report = ReadReport(report_pipe.read_end.get());  // the end: exec closed it
  }
  if (report) child.failure = Explain(*report, command);
  return child;
}

}  // namespace mr::os
