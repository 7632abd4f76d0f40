// mrbench data: makes files to search, or verifies one that was made.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

#include "app/mrbench/commands.h"
#include "app/mrbench/log.h"
#include "app/mrbench/number.h"
#include "io/size.h"
#include "lab/data/set.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kFound = 1;  // exit status of --verify when the file is not what it should be

struct DataOptions {
  std::string spec_path;
  std::string output_path;
  std::string verify_path;
  std::optional<std::string> kind;
  std::optional<std::string> size;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> needle;
  std::optional<std::uint64_t> needles;
  std::optional<std::string> memory;
  bool force = false;
};

volatile std::sig_atomic_t g_signal = 0;

// While it lives, signals that would end the program are only remembered, so that no half of a
// file stays behind. Signals that are ignored stay ignored.
class SignalsRemembered {
 public:
  SignalsRemembered() {
    g_signal = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = [](int signal) { g_signal = signal; };
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~SignalsRemembered() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  SignalsRemembered(const SignalsRemembered&) = delete;
  SignalsRemembered& operator=(const SignalsRemembered&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

// One line on a terminal, rewritten a few times a second; nothing elsewhere.
class ProgressLine {
 public:
  ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(lab::DataPhase phase, std::uint64_t done_bytes, std::uint64_t total_bytes) {
    if (!terminal_) return;
    const Clock::time_point now = Clock::now();
    if (phase != phase_ || !started_) {
      phase_ = phase;
      phase_start_ = now;
    } else if (now - last_shown_ < std::chrono::milliseconds(200)) {
      return;
    }
    started_ = true;
    last_shown_ = now;
    const double seconds = Seconds(now - phase_start_).count();
    const double share =
        total_bytes == 0 ? 1 : static_cast<double>(done_bytes) / static_cast<double>(total_bytes);
    std::string left;
    if (seconds > 0.5 && share > 0) {
      left =
          fmt::format(", {:.0f} MB/s, {:.0f} s left",
                      static_cast<double>(done_bytes) / seconds / 1e6, seconds / share - seconds);
    }
    std::cerr << fmt::format("\r\033[K{} {:.0f} %{}", Name(phase), 100 * share, left) << std::flush;
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static const char* Name(lab::DataPhase phase) {
    switch (phase) {
      case lab::DataPhase::kPlan:
        return "counting lines";
      case lab::DataPhase::kGenerate:
        return "generating";
      case lab::DataPhase::kSync:
        return "syncing";
      case lab::DataPhase::kVerify:
        break;
    }
    return "verifying";
  }

  const bool terminal_;
  bool started_ = false;
  bool shown_ = false;
  lab::DataPhase phase_ = lab::DataPhase::kPlan;
  Clock::time_point phase_start_;
  Clock::time_point last_shown_;
};

lab::DataRequest ReadSpecFile(const std::string& path) {
  errno = 0;
  const std::optional<std::string> text = os::ReadText(path);
  if (!text) throw os::IoError(path, errno);
  try {
    return lab::ParseDataSpec(*text);
  } catch (const lab::DataSpecError& error) {
    throw os::IoError(path, error.what());
  }
}

lab::DataSpec ResolveOptions(const DataOptions& options) {
  lab::DataRequest request;
  if (!options.spec_path.empty()) {
    request = ReadSpecFile(options.spec_path);
  } else if (!options.kind || !options.size) {
    throw UsageError("a SPEC file, or --kind and --size, are needed");
  }
  // What stands on the command line counts more than the spec file.
  if (options.kind) {
    const auto kind = lab::ParseDataKind(*options.kind);
    if (!kind) throw UsageError("--kind '" + *options.kind + "': not a known kind of data");
    request.kind = *kind;
  }
  if (options.size) request.size = *options.size;
  if (options.seed) request.seed = *options.seed;
  if (options.needle) request.needle = *options.needle;
  if (options.needles) request.needles = *options.needles;

  std::uint64_t memory_bytes = 0;
  if (options.memory) {
    const auto parsed = io::ParseSize(*options.memory);
    if (!parsed) throw UsageError("--memory '" + *options.memory + "': not a size (512M, 2G)");
    memory_bytes = *parsed;
  } else {
    memory_bytes = lab::AvailableMemoryBytes();
  }
  return lab::ResolveDataSpec(request, memory_bytes);
}

std::string Describe(const std::string& path, const lab::DataSidecar& sidecar) {
  const lab::DataSpec& spec = sidecar.spec;
  return fmt::format(
      "{}: {} bytes of {} data, seed {}, {} lines, {} of them with '{}', XXH128 {}\n", path,
      spec.size_bytes, lab::DataKindName(spec.kind), spec.seed, sidecar.lines, spec.needles,
      spec.needle, sidecar.checksum);
}

int Generate(const DataOptions& options, const lab::DataProgress& progress) {
  const lab::DataSpec spec = ResolveOptions(options);
  const lab::DataOutcome outcome =
      lab::GenerateData(spec, options.output_path, options.force, progress);
  std::string text;
  if (!outcome.generated) text = options.output_path + ": already complete, nothing to do\n";
  text += Describe(options.output_path, outcome.sidecar);
  if (outcome.generated) {
    const double seconds = Seconds(outcome.write_time).count();
    text += fmt::format(
        "{}: written in {:.2f} s ({:.0f} MB/s), synced in {:.2f} s\n", options.output_path, seconds,
        static_cast<double>(spec.size_bytes) / seconds / 1e6, Seconds(outcome.sync_time).count());
  }
  PrintOut(text);
  return 0;
}

int Verify(const DataOptions& options, const lab::DataProgress& progress) {
  const std::vector<std::string> findings = lab::VerifyData(options.verify_path, progress);
  for (const std::string& finding : findings) std::cerr << "mrbench: " << finding << "\n";
  if (!findings.empty()) return kFound;
  PrintOut(options.verify_path + ": verified\n");
  return 0;
}

int DataCommand(const DataOptions& options) {
  if (options.output_path.empty() == options.verify_path.empty()) {
    throw UsageError("either --output or --verify is needed");
  }
  const SignalsRemembered signals;
  try {
    ProgressLine line;
    const lab::DataProgress progress = [&line](lab::DataPhase phase, std::uint64_t done,
                                               std::uint64_t total) {
      line.Show(phase, done, total);
      return g_signal == 0;
    };
    return options.verify_path.empty() ? Generate(options, progress) : Verify(options, progress);
  } catch (const lab::DataInterrupted&) {
    return 128 + g_signal;
  }
}

}  // namespace

void AddDataCommand(CLI::App& root, Action& action) {
  auto options = std::make_shared<DataOptions>();
  CLI::App* command = root.add_subcommand(
      "data", "Make a file to search whose contents and number of matches are known.");
  command->add_option("SPEC", options->spec_path, "File with the parameters, in JSON");
  command->add_option("-k,--kind", options->kind,
                      "log, source, prose, cyrillic, words, random, oneline or sparse");
  command->add_option("-s,--size", options->size,
                      "Bytes: 2000000, 512M, 2G, or a multiple of the memory: 2x, 1.5x");
  command->add_option("--seed", options->seed, "Other bytes of the same kind (default 1)")
      ->transform(WholeNumber(0));
  command->add_option(
      "--needle", options->needle,
      fmt::format("What is not in the data but where it is put (default {})", lab::kDefaultNeedle));
  command->add_option("--needles", options->needles, "Lines with the needle (default 0)")
      ->transform(WholeNumber(0));
  command->add_option("--memory", options->memory,
                      "What 2x is a multiple of (default: the memory limit of the enclosing "
                      "control groups, or the physical memory)");
  command->add_option("-o,--output", options->output_path, "File to make; FILE.json describes it")
      ->type_name("FILE");
  command->add_flag("-f,--force", options->force,
                    "Make the file even if it is there, in place of whatever file is there");
  command->add_option("--verify", options->verify_path, "Compare a file with its FILE.json instead")
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return DataCommand(*options); }; });
}

}  // namespace mr::app
