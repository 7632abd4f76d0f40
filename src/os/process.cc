#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "os/counters.h"
#include "os/error.h"
#include "os/process_launch.h"
#include "os/text_file.h"
#include "os/timeval.h"

namespace mr::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTerminationGrace{2};

// Holds back the signals that are to be forwarded and puts everything as it was afterwards.
class SignalGuard {
 public:
  explicit SignalGuard(Forwarding forwarding) {
    sigemptyset(&held_);
    if (forwarding == Forwarding::kTermination) {
      for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
        struct sigaction current;
        // A signal that is ignored (nohup, a background job of an old shell) would be queued all
        // the same while it is blocked, and must not reach the child.
        if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
          sigaddset(&held_, signal);
          any_ = true;
        }
      }
    }
    ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
    if (any_) {
      fd_ = Descriptor(::signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK));
      if (!fd_) {
        const int error_number = errno;
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        throw IoError("signalfd", error_number);
      }
    }

    // Children of a process that ignores SIGCHLD are reaped by the kernel, figures and all.
    ::sigaction(SIGCHLD, nullptr, &child_action_);
    if (child_action_.sa_handler == SIG_IGN || (child_action_.sa_flags & SA_NOCLDWAIT) != 0) {
      struct sigaction usual = {};
      usual.sa_handler = SIG_DFL;
      ::sigaction(SIGCHLD, &usual, nullptr);
      restore_child_action_ = true;
    }
  }
  ~SignalGuard() {
    if (restore_child_action_) ::sigaction(SIGCHLD, &child_action_, nullptr);
    fd_.Close();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  int fd() const { return fd_.get(); }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t held_;
  sigset_t before_;
  bool any_ = false;
  Descriptor fd_;
  struct sigaction child_action_ = {};
  bool restore_child_action_ = false;
};

// One captured stream.
class Drain {
 public:
  Drain(Descriptor fd, const Stream& stream, Captured& result)
      : fd_(std::move(fd)),
        keep_bytes_(stream.kind == Stream::Kind::kCapture ? stream.keep_bytes : 0),
        result_(result) {}

  int fd() const { return fd_.get(); }

  // Takes what is there, without waiting. Bounded, so that a child that writes without end cannot
  // keep us from looking at the clock.
  void Read() {
    for (int round = 0; round < 16 && fd_; ++round) {
      if (ReadOnce(Buffer().size()) == 0) return;
    }
  }

  // Takes what is there now, and nothing that is written meanwhile.
  void Finish() {
    int available = 0;
    if (!fd_ || ::ioctl(fd_.get(), FIONREAD, &available) != 0) return;
    for (auto left = static_cast<std::size_t>(available); left > 0 && fd_;) {
      const std::size_t n = ReadOnce(std::min(left, Buffer().size()));
      if (n == 0) return;
      left -= n;
    }
  }

 private:
  // 0 when there is nothing to be had now, or ever again.
  std::size_t ReadOnce(std::size_t limit) {
    ssize_t n;
    do {
      n = ::read(fd_.get(), Buffer().data(), limit);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) {
      fd_.Close();
      return 0;
    }
    const std::string_view bytes(Buffer().data(), static_cast<std::size_t>(n));
    result_.bytes += bytes.size();
    result_.lines += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    if (result_.text.size() < keep_bytes_) {
      result_.text.append(bytes.substr(0, keep_bytes_ - result_.text.size()));
    }
    return bytes.size();
  }

  std::vector<char>& Buffer() {
    if (buffer_.empty()) buffer_.resize(std::size_t{256} << 10);
    return buffer_;
  }

  Descriptor fd_;
  std::uint64_t keep_bytes_;
  Captured& result_;
  std::vector<char> buffer_;
};

class Supervisor {
 public:
  Supervisor(const Command& command, LaunchedChild& child, int signal_fd, ProcessResult& result)
      : command_(command),
        child_(child),
        signal_fd_(signal_fd),
        result_(result),
        output_(std::move(child.output), command.output, result.output),
        error_(std::move(child.error), command.error, result.error) {
    if (command.timeout && !child.failure) deadline_ = child.started + *command.timeout;
  }

  // Until the child has ended. It is not reaped.
  void Wait() {
    while (true) {
      pollfd sources[] = {{child_.pidfd.get(), POLLIN, 0},
                          {signal_fd_, POLLIN, 0},
                          {output_.fd(), POLLIN, 0},
                          {error_.fd(), POLLIN, 0}};
      PollUntilDeadline(sources, std::size(sources));
      if (sources[0].revents != 0) {
        ended_ = Clock::now();
        break;
      }
      // Not only when nothing came: a child that writes faster than we read always has something.
      if (deadline_ && Clock::now() >= *deadline_) Escalate();
      if (sources[1].revents != 0) ForwardSignals();
      if (sources[2].revents != 0) output_.Read();
      if (sources[3].revents != 0) error_.Read();
    }
    // All that the child wrote is in the pipes by now. Their other end may be held open by a
    // process that it left behind, so the end of the pipe is not waited for.
    output_.Finish();
    error_.Finish();
    ForwardSignals();
  }

  Clock::time_point ended() const { return ended_; }

 private:
  void PollUntilDeadline(pollfd* sources, std::size_t count) {
    while (true) {
      timespec left = {};
      if (deadline_) {
        const auto rest = std::max(*deadline_ - Clock::now(), Clock::duration::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rest);
        left.tv_sec = seconds.count();
        left.tv_nsec = std::chrono::nanoseconds(rest - seconds).count();
      }
      if (::ppoll(sources, count, deadline_ ? &left : nullptr, nullptr) >= 0) return;
      if (errno != EINTR) throw IoError("ppoll", errno);
    }
  }

  // Also when the child has ended: then the signal was meant for it and came too late.
  void ForwardSignals() {
    signalfd_siginfo info;
    while (signal_fd_ >= 0 && ::read(signal_fd_, &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      result_.forwarded_signal = signal;
      // A signal from the terminal (sent by the kernel, code above zero) has reached the child
      // already if it is in our process group.
      if (command_.own_process_group || info.ssi_code <= 0) Send(signal);
    }
  }

  void Escalate() {
    if (!result_.timed_out) {
      result_.timed_out = true;
      Send(SIGTERM);
      Send(SIGCONT);  // a stopped process would not see the other one
      deadline_ = Clock::now() + kTerminationGrace;
    } else {
      Send(SIGKILL);
      deadline_.reset();
    }
  }

  void Send(int signal) {
    // The child is not reaped yet, so neither number can have passed to somebody else.
    if (command_.own_process_group) {
      ::kill(-child_.process.pid(), signal);
    } else {
      ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), signal, nullptr, 0U);
    }
  }

  const Command& command_;
  LaunchedChild& child_;
  int signal_fd_;
  ProcessResult& result_;
  Drain output_;
  Drain error_;
  std::optional<Clock::time_point> deadline_;
  Clock::time_point ended_;
};

std::optional<ProcessIo> ReadProcessIo(pid_t pid) {
  const std::optional<std::string> text = ReadText("/proc/" + std::to_string(pid) + "/io");
  if (!text) return std::nullopt;
  const Counters counters = ParseCounters(*text);
  const auto value = [&counters](std::string_view name) {
    return static_cast<std::uint64_t>(Find(counters, name).value_or(0));
  };
  if (!Find(counters, "read_bytes")) return std::nullopt;
  return ProcessIo{value("rchar"),       value("wchar"), value("read_bytes"),
                   value("write_bytes"), value("syscr"), value("syscw")};
}

ResourceUsage Convert(const rusage& usage) {
  return {Microseconds(usage.ru_utime),
          Microseconds(usage.ru_stime),
          usage.ru_maxrss,
          usage.ru_minflt,
          usage.ru_majflt,
          usage.ru_inblock,
          usage.ru_oublock,
          usage.ru_nvcsw,
          usage.ru_nivcsw};
}

void Reap(pid_t pid, ProcessResult& result) {
  int status = 0;
  rusage usage = {};
  pid_t reaped;
  do {
    reaped = ::wait4(pid, &status, 0, &usage);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) throw IoError("wait4", errno);
  result.usage = Convert(usage);
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
    result.core_dumped = WCOREDUMP(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
}

// Whether the process behind a directory of /proc is a living member of `group`. A dead one that
// nobody has reaped is still a member to kill(2), so that its word is not enough.
bool IsLivingMember(const std::string& process_directory, pid_t group) {
  const std::string stat = ReadText(process_directory + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  char state = 'Z';
  int parent = 0, own_group = 0;
  const int fields = std::sscanf(&stat[name_end + 1], " %c %d %d", &state, &parent, &own_group);
  return fields == 3 && own_group == group && state != 'Z' && state != 'X';
}

bool GroupIsAlive(pid_t group) {
  if (::kill(-group, 0) != 0 && errno == ESRCH) return false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name[0] >= '1' && name[0] <= '9' && IsLivingMember(entry.path(), group)) return true;
  }
  return false;
}

// Descendants that were killed with the group take a moment to be gone.
bool LeftProcesses(pid_t group) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (!GroupIsAlive(group)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

Command ShellCommand(std::string script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", std::move(script)};
  return command;
}

int StartFailure::exit_status() const {
  if (!exec) return 125;
  return error_number == ENOENT ? 127 : 126;
}

std::string StartFailure::message() const {
  if (exec && error_number == ENOENT && what.find('/') == std::string::npos) {
    return what + ": command not found";
  }
  return what + ": " + std::strerror(error_number);
}

int ProcessResult::shell_status() const {
  if (start_failure) return start_failure->exit_status();
  return signal != 0 ? 128 + signal : exit_code;
}

ProcessResult Run(const Command& command) {
  ProcessResult result;
  const SignalGuard signals(command.forwarding);
  LaunchedChild child = Launch(command, signals.mask_before());
  result.start_failure = child.failure;
  result.inherited_max_rss_kib = child.inherited_max_rss_kib;

  Supervisor supervisor(command, child, signals.fd(), result);
  supervisor.Wait();
  // The wall time of an attempt that failed before it had begun is zero.
  if (child.started != Clock::time_point()) result.wall = supervisor.ended() - child.started;
  const pid_t pid = child.process.pid();
  if (result.timed_out && command.own_process_group) ::kill(-pid, SIGKILL);
  // The process is a zombie now: its memory is gone, its accounting is not.
  result.io = ReadProcessIo(pid);
  child.process.Release();  // if the next line fails it is somebody else who has reaped it
  Reap(pid, result);
  if (command.own_process_group) result.left_processes = LeftProcesses(pid);
  // The number of a group is not given away while it has members.
  if (result.left_processes) ::kill(-pid, SIGKILL);
  return result;
}

}  // namespace mr::os
