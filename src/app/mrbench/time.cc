#include "app/mrbench/time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/mrbench/commands.h"
#include "os/descriptor.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {
namespace {

using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct TimeOptions {
  bool resources = false;
  bool append = false;
  bool posix = false;
  bool human = false;
  bool json = false;
  std::string output_path;
};

struct SecondsAndHundredths {
  std::int64_t whole;
  int hundredths;
};

SecondsAndHundredths Split(microseconds time) {
  const auto whole = duration_cast<seconds>(time);
  return {whole.count(), static_cast<int>((time - whole).count() / 10'000)};
}

std::string Plain(microseconds time) {
  const auto [whole, hundredths] = Split(time);
  return fmt::format("{}.{:02}", whole, hundredths);
}

std::string Wide(microseconds time) {
  const auto [whole, hundredths] = Split(time);
  return fmt::format("{:9}.{:02}", whole, hundredths);
}

std::string Human(microseconds time) {
  using days = std::chrono::duration<std::int64_t, std::ratio<86'400>>;
  std::string text = "\t";
  const auto take = [&](auto unit, char letter) {
    const auto count = duration_cast<decltype(unit)>(time);
    if (count.count() != 0) text += fmt::format("{}{}", count.count(), letter);
    time -= count;
  };
  take(days(), 'd');
  take(hours(), 'h');
  take(minutes(), 'm');
  return text + Plain(time) + "s";
}

void Write(int fd, const std::string& name, const std::string& text) {
  if (const int error_number = os::WriteAll(fd, text)) throw os::IoError(name, error_number);
}

os::Descriptor OpenOutput(const TimeOptions& options) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options.append ? O_APPEND : O_TRUNC);
  os::Descriptor fd(::open(options.output_path.c_str(), flags, 0666));
  if (!fd) throw os::IoError(options.output_path, errno);
  return fd;
}

void ReportEnd(const os::ProcessResult& result) {
  std::string text;
  if (result.start_failure) {
    text = fmt::format("mrbench: {}\n", result.start_failure->message());
  } else if (result.signal != 0) {
    text = fmt::format("mrbench: command terminated abnormally (signal {}: {}{})\n", result.signal,
                       ::strsignal(result.signal), result.core_dumped ? ", core dumped" : "");
  }
  Write(STDERR_FILENO, "standard error", text);
}

int TimeCommand(const TimeOptions& options, const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("a COMMAND is needed");
  // Before the command runs, so that nothing is lost to a wrong name afterwards.
  std::optional<os::Descriptor> file;
  if (!options.output_path.empty()) file = OpenOutput(options);

  os::Command command;
  command.arguments = arguments;
  command.forwarding = os::Forwarding::kTermination;
  const os::ProcessResult result = os::Run(command);

  std::string figures;
  if (options.json) {
    figures = FormatTimeJson(arguments, result);
  } else {
    figures = FormatTimes(result, options.posix   ? TimeLayout::kPosix
                                  : options.human ? TimeLayout::kHuman
                                                  : TimeLayout::kOneLine);
    if (options.resources) figures += FormatResources(result.usage);
  }
  ReportEnd(result);
  if (file) {
    Write(file->get(), options.output_path, figures);
  } else {
    Write(STDERR_FILENO, "standard error", figures);
  }
  return result.shell_status();
}

}  // namespace

std::string FormatTimes(const os::ProcessResult& result, TimeLayout layout) {
  const auto real = duration_cast<microseconds>(result.wall);
  const auto [user, system] = std::pair(result.usage.user, result.usage.system);
  switch (layout) {
    case TimeLayout::kPosix:
      return fmt::format("real {}\nuser {}\nsys {}\n", Plain(real), Plain(user), Plain(system));
    case TimeLayout::kHuman:
      return fmt::format("{} real\t{} user\t{} sys\n", Human(real), Human(user), Human(system));
    case TimeLayout::kOneLine:
      break;
  }
  return fmt::format("{} real {} user {} sys\n", Wide(real), Wide(user), Wide(system));
}

std::string FormatResources(const os::ResourceUsage& usage) {
  std::string text;
  const auto line = [&text](std::optional<std::int64_t> value, const char* label) {
    const std::string number = value ? fmt::format("{}", *value) : "n/a";
    fmt::format_to(std::back_inserter(text), "{:>10}  {}\n", number, label);
  };
  line(usage.max_rss_kib, "maximum resident set size");
  line(std::nullopt, "average shared memory size");
  line(std::nullopt, "average unshared data size");
  line(std::nullopt, "average unshared stack size");
  line(usage.minor_faults, "page reclaims");
  line(usage.major_faults, "page faults");
  line(std::nullopt, "swaps");
  line(usage.input_blocks, "block input operations");
  line(usage.output_blocks, "block output operations");
  line(std::nullopt, "messages sent");
  line(std::nullopt, "messages received");
  line(std::nullopt, "signals received");
  line(usage.voluntary_switches, "voluntary context switches");
  line(usage.involuntary_switches, "involuntary context switches");
  return text;
}

std::string FormatTimeJson(const std::vector<std::string>& command,
                           const os::ProcessResult& result) {
  using Json = nlohmann::ordered_json;
  const bool exited = !result.start_failure && result.signal == 0;
  const os::ResourceUsage& usage = result.usage;
  Json json = {
      {"command", command},
      {"started", !result.start_failure},
      {"exit_code", exited ? Json(result.exit_code) : Json()},
      {"signal", result.signal != 0 ? Json(result.signal) : Json()},
      {"core_dumped", result.core_dumped},
      {"status", result.shell_status()},
      {"real_ns", result.wall.count()},
      {"user_us", usage.user.count()},
      {"sys_us", usage.system.count()},
      {"max_rss_kib", usage.max_rss_kib},
      {"inherited_max_rss_kib", result.inherited_max_rss_kib},
      {"average_shared_memory_kib", Json()},
      {"average_unshared_data_kib", Json()},
      {"average_unshared_stack_kib", Json()},
      {"page_reclaims", usage.minor_faults},
      {"page_faults", usage.major_faults},
      {"swaps", Json()},
      {"block_input_operations", usage.input_blocks},
      {"block_output_operations", usage.output_blocks},
      {"messages_sent", Json()},
      {"messages_received", Json()},
      {"signals_received", Json()},
      {"voluntary_context_switches", usage.voluntary_switches},
      {"involuntary_context_switches", usage.involuntary_switches},
  };
  const auto add_io = [&](const char* name, std::uint64_t os::ProcessIo::*field) {
    json[name] = result.io ? Json((*result.io).*field) : Json();
  };
  add_io("storage_read_bytes", &os::ProcessIo::read_bytes);
  add_io("storage_write_bytes", &os::ProcessIo::write_bytes);
  add_io("read_call_bytes", &os::ProcessIo::rchar_bytes);
  add_io("write_call_bytes", &os::ProcessIo::wchar_bytes);
  add_io("read_calls", &os::ProcessIo::read_calls);
  add_io("write_calls", &os::ProcessIo::write_calls);
  // Arguments may be any bytes; JSON is UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void AddTimeCommand(CLI::App& root, Action& action, const std::vector<std::string>& command) {
  CLI::App* sub = root.add_subcommand(
      kTimeCommand,
      "Run a command and print what it took, as BSD time(1) does, on standard error.");
  // For the help only: main keeps the command away from CLI11.
  sub->add_option("COMMAND", "The command and its arguments")->option_text("[ARGUMENT...]");
  sub->set_help_flag("--help", "Print this help and exit");
  const auto options = std::make_shared<TimeOptions>();
  sub->add_flag("-l", options->resources, "Print everything the kernel accounts, one line each");
  CLI::Option* posix = sub->add_flag("-p", options->posix, "The three times on a line each");
  CLI::Option* human = sub->add_flag("-h", options->human, "Times in days, hours and minutes");
  CLI::Option* json = sub->add_flag("--json", options->json, "All figures as one JSON object");
  sub->add_option("-o,--output", options->output_path, "Write the figures to FILE")
      ->type_name("FILE");
  sub->add_flag("-a,--append", options->append, "With -o: append to FILE instead of replacing it");
  posix->excludes(human);
  posix->excludes(json);
  human->excludes(json);
  sub->callback([&action, &command, options] {
    action = [&command, options] { return TimeCommand(*options, command); };
  });
}

}  // namespace mr::app
