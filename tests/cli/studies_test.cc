// Drives "mrbench sweep", "crunch", "cost" and "appcache" as a user would, on small data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "os/page_cache.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr const char* kRaw =
    "512 1.5 0.25\n1024 2.0 0.5\n\n\n512 1.5 0.25\n1024 2.0 0.5\n\n\n"
    "512 2.25 1.25\n1024 2.125 1.75\n\n\n512 1.25 1.0\n1024 2.5 0.25\n";

class Studies : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_.path() / "tree" / "sub");
    for (int i = 0; i < 20; ++i) {
      directory_.Write("tree/sub/f" + std::to_string(i),
                       std::string(static_cast<std::size_t>(i) * 300, 'x') + "\n");
    }
    data_ = directory_.Write("data", std::string(100'000, 'd'));
    log_ = (directory_.path() / "log.jsonl").string();
  }

  static os::ProcessResult Run(const std::vector<std::string>& arguments,
                               const std::string& input = "") {
    os::Command command;
    command.arguments = {MRBENCH_BINARY};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.input = os::Stream::Text(input);
    command.output = os::Stream::Capture();
    command.error = os::Stream::Capture();
    return os::Run(command);
  }

  std::string Dir() const { return directory_.path().string(); }
  std::vector<std::string> Sweep(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"sweep",     "--max", "4K",       "--points", "1",
                                          "--repeats", "5",     "--rounds", "2",        "--dir",
                                          Dir(),       "--log", log_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // 4 sizes, 2 readers, with and without file cache, 2 rounds.
  static constexpr int kSweepTrials = 32;

  static int Trials(const std::string& log) {
    const std::string text = os::ReadText(log).value_or("");
    int trials = 0;
    for (std::size_t at = 0; (at = text.find("\"trial\":", at)) != std::string::npos; ++at)
      ++trials;
    return trials;
  }

  // Of two sizes, and as many rounds as take seconds; returns when some trials are in the log.
  static constexpr int kLongSweepTrials = 2 * 2 * 2 * 40;
  pid_t StartLongSweep() const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const std::string errors = Dir() + "/stderr";
      if (::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
      if (::freopen(errors.c_str(), "w", stderr) == nullptr) ::_exit(126);
      ::execl(MRBENCH_BINARY, MRBENCH_BINARY, "sweep", "--max", "1K", "--points", "1", "--rounds",
              "40", "--dir", Dir().c_str(), "--log", log_.c_str(), nullptr);
      ::_exit(127);
    }
    while (pid > 0 && Trials(log_) < 3 && ::waitpid(pid, nullptr, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return pid;
  }

  test::TempDir directory_;
  std::string data_;
  std::string log_;
};

TEST_F(Studies, SweepReportsLogsAndWritesRawOutputThatCrunchAccepts) {
  const std::string raw = Dir() + "/bench.raw";
  const os::ProcessResult sweep = Run(Sweep({"--raw", raw}));
  ASSERT_EQ(sweep.shell_status(), 0) << sweep.error.text;
  EXPECT_THAT(sweep.output.text, HasSubstr("What loading a file once more costs"));
  EXPECT_THAT(sweep.output.text, HasSubstr("about 32 KiB"));
  EXPECT_THAT(sweep.error.text, HasSubstr("log: " + log_));
  EXPECT_EQ(Trials(log_), kSweepTrials);
  EXPECT_THAT(os::ReadText(raw).value(), StartsWith("512 "));

  const os::ProcessResult crunch = Run({"crunch", raw});
  EXPECT_EQ(crunch.shell_status(), 0) << crunch.error.text;
  EXPECT_EQ(crunch.output.lines, 4u + 2 + 4);
  EXPECT_THAT(crunch.output.text, StartsWith("0.5 "));
}

TEST_F(Studies, ReportsComeInThreeFormatsFromTheSameLog) {
  ASSERT_EQ(Run(Sweep()).shell_status(), 0);
  const os::ProcessResult csv = Run({"sweep", "--from", log_, "--format", "csv"});
  EXPECT_EQ(csv.shell_status(), 0);
  EXPECT_THAT(csv.output.text, StartsWith("size_bytes,reader,rounds,load_cpu_ns_median,"));
  EXPECT_EQ(csv.output.lines, 1u + 8);
  const os::ProcessResult json = Run({"sweep", "--from", log_, "--format", "json"});
  EXPECT_EQ(Json::parse(json.output.text).at("loads").size(), 8u);
  const os::ProcessResult text = Run({"sweep", "--from", log_});
  EXPECT_EQ(text.output.text, Run({"sweep", "--from", log_}).output.text);
}

TEST_F(Studies, ARunThatWasKilledGoesOnWhereItStopped) {
  const pid_t pid = StartLongSweep();
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it should still have been at work";
  const int before = Trials(log_);

  const os::ProcessResult resumed = Run({"sweep", "--resume", log_});
  EXPECT_EQ(resumed.shell_status(), 0) << resumed.error.text;
  EXPECT_GE(before, 3);
  // What was whole in the log is not measured again; a last line that was cut is not counted.
  EXPECT_EQ(Trials(log_), kLongSweepTrials);
  const std::string text = os::ReadText(log_).value();
  EXPECT_THAT(text, HasSubstr("\"event\":\"resumed\""));
  EXPECT_THAT(text, HasSubstr("\"event\":\"finished\""));
}

TEST_F(Studies, AnInterruptEndsARunBetweenTwoTrials) {
  const pid_t pid = StartLongSweep();
  ::kill(pid, SIGTERM);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_THAT(os::ReadText(Dir() + "/stderr").value(),
              HasSubstr("interrupted; go on with: mrbench sweep --resume " + log_));
  EXPECT_THAT(os::ReadText(log_).value(), HasSubstr("\"event\":\"interrupted\""));
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(StartsWith("mrbench-sweep.")));
  }
}

TEST_F(Studies, CrunchPrintsWhatTheScriptPrints) {
  const std::string expected = "0.5 0.75 1.00\n1.0 0.12 1.25\n\n\n0.5 0.00 0.75\n1.0 0.50 0.00\n";
  EXPECT_EQ(Run({"crunch"}, kRaw).output.text, expected);
  EXPECT_EQ(Run({"crunch", "-"}, kRaw).output.text, expected);
  EXPECT_EQ(Run({"crunch", directory_.Write("raw", kRaw)}).output.text, expected);
  const os::ProcessResult crossover = Run({"crunch", "--crossover"}, kRaw);
  EXPECT_EQ(crossover.output.text, expected);
  EXPECT_THAT(crossover.error.text, HasSubstr("do not cross: mmap is cheaper at every size"));
}

TEST_F(Studies, CrunchSaysWhatIsWrongWithItsInput) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "standard input: mangled input"},
      {"512 1 1\n\n512 1 1\n", "standard input: mangled input"},
      {"512 1 1\n", "standard input: vectors not all equal"},
      {"1 1 1\n\n\n1 1 1\n\n\n2 1 1\n\n\n1 1 1\n", "standard input: mismatched sizes, index 0"},
  };
  for (const auto& [input, message] : cases) {
    const os::ProcessResult result = Run({"crunch"}, input);
    EXPECT_EQ(result.shell_status(), 2) << message;
    EXPECT_EQ(result.error.text, "mrbench: " + message + "\n");
    EXPECT_EQ(result.output.text, "");
  }
  EXPECT_THAT(Run({"crunch", "/no/such/file"}).error.text,
              HasSubstr("/no/such/file: No such file or directory"));
  EXPECT_THAT(Run({"crunch", Dir()}).error.text, HasSubstr("Is a directory"));
}

TEST_F(Studies, CrunchSaysWhatStandardInputIsThatCannotBeRead) {
  os::Command command;
  command.arguments = {MRBENCH_BINARY, "crunch"};
  command.input = os::Stream::File(Dir());
  command.error = os::Stream::Capture();
  EXPECT_EQ(os::Run(command).error.text, "mrbench: standard input: Is a directory\n");
}

TEST_F(Studies, AppcacheMeasuresATree) {
  const os::ProcessResult result =
      Run({"appcache", Dir() + "/tree", "--rounds", "1", "--log", log_, "--short", "0.5"});
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("15253 ms"));
  EXPECT_THAT(result.output.text, HasSubstr("20 files"));
  EXPECT_THAT(result.output.text,
              HasSubstr("Opens and closes of a pass: kernel 20 and 20, application 20 and 20."));
  const os::ProcessResult json = Run({"appcache", "--from", log_, "--format", "json"});
  EXPECT_GT(Json::parse(json.output.text).at("kernel_over_application").get<double>(), 0);
}

TEST_F(Studies, FailedTrialsAreShownAndGiveStatusOne) {
  ASSERT_EQ(Run({"appcache", Dir() + "/tree", "--rounds", "1", "--log", log_}).shell_status(), 0);
  // As if files had vanished during the last trial.
  std::string text = os::ReadText(log_).value();
  const std::size_t figures = text.rfind(",\"figures\"");
  text.replace(figures, text.find("}}", figures) + 1 - figures, ",\"failure\":\"x: vanished\"");
  directory_.Write("log.jsonl", text);
  const os::ProcessResult result = Run({"appcache", "--from", log_});
  EXPECT_EQ(result.shell_status(), 1) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("x: vanished"));
}

TEST_F(Studies, CostMeasuresAFile) {
  if (!os::MeasureResidency(data_).resident_pages || !os::Evict(data_).verified_empty()) {
    std::cout << "missing here: a file system whose files can be evicted and seen by cachestat\n";
    return;
  }
  const os::ProcessResult result =
      Run({"cost", data_, "--rounds", "2", "--dir", Dir(), "--log", log_, "--part", "64K"});
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_THAT(result.output.text, HasSubstr("about 100 ms (10 GB/s)"));
  EXPECT_THAT(result.output.text, HasSubstr("cached by read 32K: mmap whole"));
  EXPECT_THAT(result.output.text, HasSubstr("ns per call"));
  const os::ProcessResult csv = Run({"cost", "--from", log_, "--format", "csv"});
  EXPECT_THAT(csv.output.text, StartsWith("cell,rounds,span_bytes,"));
}

TEST_F(Studies, DrawTheirFigures) {
  const std::string figures = Dir() + "/figures";
  ASSERT_EQ(Run(Sweep()).shell_status(), 0);
  const os::ProcessResult drawn = Run({"sweep", "--from", log_, "--figures", figures});
  if (drawn.error.text.find("gnuplot, which cannot be run") != std::string::npos) {
    std::cout << "missing here: gnuplot\n";
    EXPECT_EQ(drawn.shell_status(), 2);
    return;
  }
  EXPECT_EQ(drawn.shell_status(), 0) << drawn.error.text;
  for (const char* name : {"sweep.svg", "bench.svg", "benchclip.svg"}) {
    EXPECT_THAT(os::ReadText(figures + "/" + name).value_or(""), HasSubstr("<svg")) << name;
  }
  const os::ProcessResult crunch =
      Run({"crunch", "--figures", figures, "--figure-format", "png", "--clip", "0.5"}, kRaw);
  EXPECT_EQ(crunch.shell_status(), 0) << crunch.error.text;
  EXPECT_TRUE(std::filesystem::exists(figures + "/benchclip.png"));
}

TEST_F(Studies, RefuseWhatMakesNoSense) {
  const std::string tree = Dir() + "/tree";
  std::filesystem::create_directory(Dir() + "/nothing");
  const std::string fifo = Dir() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"sweep", "--min", "0"}, "--min: a size of zero makes no sense"},
      {{"sweep", "--max", "huge"}, "--max 'huge': not a size"},
      {{"sweep", "--min", "1M", "--max", "1K"}, "--min 1M is more than --max 1K"},
      {{"sweep", "--repeats", "0"}, "--repeats: '0' is not a whole number from 2"},
      {{"sweep", "--repeats", "1"}, "--repeats: '1' is not a whole number from 2"},
      {{"sweep", "--rounds", "0"}, "--rounds: '0' is not a whole number from 1"},
      {{"sweep", "--points", "0"}, "--points: '0' is not a whole number from 1 to 16"},
      {{"sweep", "--work", "dance"}, "--work 'dance': not none, touch"},
      {{"sweep", "--buffers", "x"}, "--buffers 'x': not malloc"},
      {{"sweep", "--io", "mmap:window=1M"}, "windows"},
      {{"sweep", "--io", "read", "--io", "read"}, "--io 'read' is given twice"},
      {{"sweep", "--dir", "/no/such"}, "/no/such: No such file or directory"},
      {{"sweep", "--format", "html"}, "--format 'html': not text, csv or json"},
      {{"sweep", "--from", "/no/such"}, "/no/such: No such file or directory"},
      {{"sweep", "--from", data_}, "not a log of mrbench"},
      {{"sweep", "--from", "a", "--resume", "b"}, "--from and --resume: one or the other"},
      {{"sweep", "--from", "a", "--repeats", "5"}, "--repeats does not go with --from or --resume"},
      {{"appcache"}, "which DIR holds the files?"},
      {{"appcache", "/no/such"}, "/no/such: No such file or directory"},
      {{"appcache", data_}, "Not a directory"},
      {{"appcache", Dir() + "/nothing"}, "no files in it"},
      {{"appcache", tree, "--short", "1.5"}, "--short: '1.5' is not a number above 0 and below 1"},
      {{"appcache", tree, "--short", "1"}, "--short: '1' is not a number above 0 and below 1"},
      {{"appcache", tree, "--short", "0"}, "--short: '0' is not a number above 0 and below 1"},
      {{"sweep", "--figure-format", "pdf"}, "--figure-format 'pdf': not svg or png"},
      {{"crunch", "--figure-format", "pdf"}, "--figure-format 'pdf': not svg or png"},
      {{"sweep", "--rounds", "1000000"}, "--rounds 1000000: that makes more than 10000000 trials"},
      {{"cost", fifo}, "not a regular file"},
      {{"cost"}, "which FILE is to be read?"},
      {{"cost", "/no/such"}, "/no/such: No such file or directory"},
      {{"cost", tree}, "Is a directory"},
      {{"cost", data_, "--size", "1G"}, "has only 100000 bytes"},
      {{"cost", data_, "--part", "0"}, "--part: a size of zero makes no sense"},
      {{"cost", data_, "--threads", "0"}, "--threads: '0' is not a whole number from 1 to 256"},
  };
  for (const auto& [arguments, message] : cases) {
    const os::ProcessResult result = Run(arguments);
    EXPECT_EQ(result.shell_status(), 2) << message;
    EXPECT_THAT(result.error.text, HasSubstr(message));
    EXPECT_EQ(result.output.text, "");
  }
  EXPECT_FALSE(std::filesystem::exists(log_));
}

TEST_F(Studies, DoNotReportOnEachOthersLogs) {
  ASSERT_EQ(Run(Sweep()).shell_status(), 0);
  const os::ProcessResult result = Run({"cost", "--from", log_});
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr("a log of mrbench sweep, not of mrbench cost"));
}

TEST_F(Studies, ThatBeginWithinASecondHaveLogsOfTheirOwn) {
  for (int run = 0; run < 3; ++run) {
    os::Command command;
    command.arguments = {MRBENCH_BINARY, "sweep", "--max",    "512",
                         "--repeats",    "2",     "--rounds", "1"};
    command.directory = Dir();
    command.output = os::Stream::Null();
    command.error = os::Stream::Capture();
    const os::ProcessResult result = os::Run(command);
    EXPECT_EQ(result.shell_status(), 0) << result.error.text;
  }
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Dir())) {
    if (entry.path().extension() == ".jsonl") ++logs;
  }
  EXPECT_EQ(logs, 3);
}

TEST_F(Studies, DoNotOverwriteALog) {
  directory_.Write("log.jsonl", "precious\n");
  const os::ProcessResult result = Run(Sweep());
  EXPECT_EQ(result.shell_status(), 2);
  EXPECT_THAT(result.error.text, HasSubstr(log_ + ": File exists"));
  EXPECT_EQ(os::ReadText(log_).value(), "precious\n");
}

}  // namespace
}  // namespace mr
