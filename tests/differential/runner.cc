#include "differential/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "differential/locales.h"

namespace differential {
namespace {

[[noreturn]] void Fail(const std::string& what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

// A file in memory that takes a program's output.
class Capture {
 public:
  Capture() : descriptor_(memfd_create("capture", MFD_CLOEXEC)) {
    if (descriptor_ < 0) Fail("memfd_create");
    // Two descriptors of one child may share it.
    fcntl(descriptor_, F_SETFL, O_APPEND);
  }
  ~Capture() { close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }

  std::string Read() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) Fail("fstat");
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), 0);
    if (count < 0) Fail("pread");
    bytes.resize(static_cast<std::size_t>(count));
    return bytes;
  }

 private:
  int descriptor_;
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (auto& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Waits for the child, but not longer than the limit.
void Await(pid_t child, std::chrono::milliseconds limit, RunResult& result) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (descriptor >= 0) {
    pollfd waited{descriptor, POLLIN, 0};
    int ready = 0;
    do {
      ready = poll(&waited, 1, static_cast<int>(limit.count()));
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
      kill(child, SIGKILL);
      result.timed_out = true;
    }
    close(descriptor);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) Fail("waitpid");
  }
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Runner::Runner(Place place) {
  // In memory if possible: a case writes a few files and reads each a few times.
  const char* parent = place == Place::kDisk           ? "/var/tmp"
                       : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                       : "/tmp";
  std::string name = std::string(parent) + "/differential-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) Fail(name);
  directory_ = name;
}

Runner::~Runner() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void Runner::Write(const std::string& name, const std::string& bytes) {
  const std::string path = directory_ / name;
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) Fail(path);
  const ssize_t written = write(descriptor, bytes.data(), bytes.size());
  close(descriptor);
  if (written != static_cast<ssize_t>(bytes.size())) Fail(path, ENOSPC);
}

void Runner::Prepare(const Case& test_case) {
  const bool needs_patterns = test_case.pattern_style == PatternStyle::kFile;
  std::vector<InputFile> wanted = test_case.files;
  if (needs_patterns) wanted.push_back({Case::kPatternFile, test_case.PatternFileBytes()});
  // A directory in memory lists the youngest first, so files made from the last name to the first
  // are found in the order of their names, by a grep that does not sort as well as by one that
  // does.
  std::sort(wanted.begin(), wanted.end(),
            [](const auto& left, const auto& right) { return left.name > right.name; });
  const auto same_name = [](const auto& left, const auto& right) {
    return left.name == right.name;
  };
  if (!std::equal(wanted.begin(), wanted.end(), present_.begin(), present_.end(), same_name)) {
    for (const auto& old : present_) std::filesystem::remove(directory_ / old.name);
    present_.clear();
    std::filesystem::remove_all(directory_ / "d");
  }
  bool has_directory = std::filesystem::exists(directory_ / "d");
  for (const auto& file : wanted) {
    if (!has_directory && file.name <= "d0") {
      std::filesystem::create_directories(directory_ / "d" / "sub");
      has_directory = true;
    }
    const auto same = std::find_if(present_.begin(), present_.end(), [&](const auto& old) {
      return old.name == file.name && old.bytes == file.bytes;
    });
    if (same == present_.end()) Write(file.name, file.bytes);
  }
  if (!has_directory) std::filesystem::create_directories(directory_ / "d" / "sub");
  present_ = std::move(wanted);
}

RunResult Runner::Run(const Program& program, const Case& test_case) {
  // By its name alone, which is what messages begin with.
  std::vector<std::string> arguments{std::filesystem::path(program.path).filename()};
  arguments.insert(arguments.end(), program.leading.begin(), program.leading.end());
  for (auto& argument : test_case.Arguments()) arguments.push_back(std::move(argument));
  const LocaleEnvironment locale = EnvironmentOf(test_case.locale);
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "TERM=xterm",
                                       "LC_ALL=" + locale.locale};
  if (!locale.directory.empty()) environment.push_back("LOCPATH=" + locale.directory);
  if (!test_case.grep_colors.empty()) {
    environment.push_back("GREP_COLORS=" + test_case.grep_colors);
  }

  const Capture output;
  const Capture errors;
  SpawnActions actions;
  const std::string input =
      test_case.standard_input.empty() ? "/dev/null" : directory_ / test_case.standard_input;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(),
                                   test_case.one_stream ? output.descriptor() : errors.descriptor(),
                                   STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(actions.get(), directory_.c_str());

  pid_t child = 0;
  auto argument_pointers = Pointers(arguments);
  auto environment_pointers = Pointers(environment);
  const int error = posix_spawn(&child, program.path.c_str(), actions.get(), nullptr,
                                argument_pointers.data(), environment_pointers.data());
  RunResult result;
  if (error == E2BIG) {
    // Says as little as one that does not end.
    result.timed_out = true;
    return result;
  }
  if (error != 0) Fail(program.path, error);
  Await(child, program.time_limit, result);
  result.output = output.Read();
  result.errors = errors.Read();
  return result;
}

}  // namespace differential
