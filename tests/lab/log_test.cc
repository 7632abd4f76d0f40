#include "lab/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "lab/trial/experiment.h"
#include "os/error.h"
#include "sample_observations.h"

namespace mr::lab {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "mrbench-log-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = directory_ / "log.jsonl";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static LogHeader Header(const Plan& plan) {
    return {.plan = plan,
            .truth = {.matches = 3, .source = "--expect"},
            .started = "2025-01-31T12:00:00.000Z",
            .environment = {{"machine", {{"kernel", "6.18"}}}},
            .warnings = {"a warning"}};
  }

  LogWriter NewLog(const Plan& plan) const {
    LogWriter writer = LogWriter::Create(path_);
    writer.Append(ToJson(Header(plan)));
    return writer;
  }

  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  static std::string Complaint(const std::string& path) {
    try {
      ReadLog(path);
    } catch (const os::IoError& error) {
      return error.reason();
    }
    return "";
  }

  std::filesystem::path directory_;
  std::string path_;
};

TEST_F(Log, GivesBackWhatWasWritten) {
  Plan plan = TwoArms(3, Design::kReset);
  plan.seed = 0xffffffffffffffff;
  plan.pattern = "caf\xe9";  // not UTF-8
  plan.memory_bytes = 300 << 20;
  plan.counting = Counting::kNumber;
  plan.timeout = std::chrono::seconds(9);
  std::vector<Observation> rows = Observe(plan, [](const Trial& trial) { return trial.index; });
  rows[1].outcome = Outcome::kFailed;
  rows[1].reason = "exit status 2: gr\xfcn";
  rows[2].io.reset();
  rows[2].matches.reset();
  rows[3].before.resident_pages.reset();
  rows[4].vmstat = {{"pgmajfault", 12}, {"workingset_refault_file", -3}};
  rows[4].attempt = 2;
  rows[5].before.resident_map = {7, 7, 7, 0, 0, 2048, 1, 1};
  rows[5].cpu = {{"busy", 70}};
  rows[5].trace = {.moments = {{.at = std::chrono::milliseconds(20),
                                .disk_bytes = 5,
                                .major_faults = 6,
                                .io_pressure_us = 7,
                                .charged_bytes = 8}},
                   .peak_charged_bytes = 9,
                   .cpu_mhz = 2400.5};
  {
    LogWriter writer = NewLog(plan);
    for (const Observation& row : rows) writer.Append(ToJson(row));
    writer.Append(ToJson(LogEvent{.name = "finished", .time = "now", .text = ""}));
  }
  const LogContents contents = ReadLog(path_);
  EXPECT_EQ(contents.header.plan, plan);
  EXPECT_EQ(contents.header.truth, Header(plan).truth);
  EXPECT_EQ(contents.header.environment, Header(plan).environment);
  EXPECT_EQ(contents.header.warnings, Header(plan).warnings);
  EXPECT_FALSE(contents.cut);
  ASSERT_EQ(contents.observations.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(ToJson(contents.observations[i]), ToJson(rows[i]));
    EXPECT_EQ(contents.observations[i].trial, rows[i].trial);
    EXPECT_EQ(contents.observations[i].reason, rows[i].reason);
    EXPECT_EQ(contents.observations[i].before, rows[i].before);
    EXPECT_EQ(contents.observations[i].trace, rows[i].trace);
  }
  ASSERT_EQ(contents.events.size(), 1u);
  EXPECT_EQ(contents.events[0].name, "finished");
}

TEST_F(Log, CutAnywhereInItsLastLineLosesOnlyThatLine) {
  const Plan plan = TwoArms(1);
  const std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1; });
  {
    LogWriter writer = NewLog(plan);
    for (const Observation& row : rows) writer.Append(ToJson(row));
  }
  const std::string whole = Text();
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t end : {last_line + 1, last_line + 40, whole.size() - 1}) {
    Write(whole.substr(0, end));
    const LogContents contents = ReadLog(path_);
    EXPECT_TRUE(contents.cut);
    EXPECT_EQ(contents.observations.size(), rows.size() - 1);
    EXPECT_EQ(ReadLogFile(path_).whole_bytes, last_line);

    LogWriter::Continue(path_).first.Append(ToJson(rows.back()));
    EXPECT_EQ(Text(), whole);
  }
}

TEST_F(Log, DamagedBeforeItsLastLineIsRefusedWithTheLine) {
  const Plan plan = TwoArms(1);
  NewLog(plan).Append(ToJson(Observe(plan, [](const Trial&) { return 1; })[0]));
  Write(Text() + "{\"trial\":1\n" + "{}\n");
  EXPECT_EQ(Complaint(path_).substr(0, 55),
            "line 3 is not a line of a log of mrbench (parse error a");
}

TEST_F(Log, KeepsMapsOfPagesShortAndReadsThoseOfTheFirstLogs) {
  Observation row = Observe(TwoArms(1), [](const Trial&) { return 1; })[0];
  row.before.resident_map = {7, 7, 7, 0, 2048, 2048};
  Json json = ToJson(row);
  EXPECT_EQ(json["before"]["resident_map"], "3*7,0,2*2048");
  for (const Json& map : {Json("3*7,0,2*2048"), Json({7, 7, 7, 0, 2048, 2048})}) {
    json["before"]["resident_map"] = map;
    json.erase("trace");  // the first logs had none
    json.erase("cpu_us");
    EXPECT_EQ(ObservationFromJson(json).before, row.before);
  }
  for (const char* bad : {"x", "3*", "1,,2", "1;2", "99999999*1", "-1"}) {
    json["before"]["resident_map"] = bad;
    EXPECT_THROW(ObservationFromJson(json), RecordError) << bad;
  }
}

TEST_F(Log, ThatIsNoLogIsRefused) {
  Write("{\"mrbench\":\"sweep\",\"format\":1}\n");
  EXPECT_EQ(Complaint(path_), "line 1: a log of mrbench sweep, not of mrbench pairs");
  Write("{\"mrbench\":\"pairs\",\"format\":99}\n");
  EXPECT_EQ(Complaint(path_), "line 1: log format 99 is not known to this version");
  Write("");
  EXPECT_EQ(Complaint(path_), "no whole line in it: not a log of mrbench, or cut at its start");
  EXPECT_EQ(Complaint(directory_ / "nothing"), "No such file or directory");
  EXPECT_EQ(Complaint(directory_), "Is a directory");
}

// Four pairs to a block: in a chain five trials, with resets eight.
TEST_F(Log, OfTooManyTrialsIsRefused) {
  for (const auto& [design, most] :
       {std::pair(Design::kChain, 2'000'000), std::pair(Design::kReset, 1'250'000)}) {
    Plan plan = TwoArms(most);
    plan.design = design;
    EXPECT_EQ(PlanFromJson(ToJson(plan)), plan);
    ++plan.blocks;
    EXPECT_THROW(PlanFromJson(ToJson(plan)), RecordError) << DesignName(design);
  }
}

TEST_F(Log, WithATrialOfAnUnknownArmIsRefused) {
  const Plan plan = TwoArms(1);
  Observation row = Observe(plan, [](const Trial&) { return 1; })[0];
  row.trial.arm = 2;
  NewLog(plan).Append(ToJson(row));
  EXPECT_EQ(Complaint(path_), "line 2: a trial of an arm that the plan does not have");
}

TEST_F(Log, WithNumbersThatCannotStandThereIsRefused) {
  const Plan plan = TwoArms(2);
  const Json header = ToJson(Header(plan));
  const Json row = ToJson(Observe(plan, [](const Trial&) { return 1; })[0]);
  const struct {
    const char* member;  // as a JSON pointer; "/plan..." is in the header
    Json value;
  } cases[] = {
      {"/plan/blocks", 0},
      {"/plan/blocks", -1},
      {"/plan/blocks", 2.5},
      {"/plan/blocks", 2147483648},
      {"/plan/blocks", 2147483647},
      {"/plan/seed", -1},
      {"/plan/seed", 1e30},
      {"/plan/file_bytes", "9"},
      {"/plan/memory_bytes", -5},
      {"/plan/timeout_s", {{"s", 1}}},
      {"/plan/arms/0/name", ""},
      {"/trial", -1},
      {"/trial", 4294967296},
      {"/block", -1},
      {"/block", 2},
      {"/unit", -1},
      {"/arm", -1},
      {"/previous", 7},
      {"/attempt", 0},
      {"/real_ns", -1},
      {"/real_ns", 1.5},
      {"/matches", -1},
      {"/output_bytes", -1},
      {"/exit_status", 1e10},
      {"/usage/user_us", "1"},
      {"/before/total_pages", -1},
      {"/before/resident_pages", 1e300},
      {"/vmstat", {{"pgmajfault", 0.5}}},
  };
  for (const auto& [member, value] : cases) {
    Json changed_header = header;
    Json changed_row = row;
    const Json::json_pointer place{member};
    const bool in_header = std::string_view(member).starts_with("/plan");
    (in_header ? changed_header : changed_row).at(place) = value;
    Write(changed_header.dump() + "\n" + changed_row.dump() + "\n");
    EXPECT_THAT(Complaint(path_), ::testing::StartsWith(in_header ? "line 1: " : "line 2: "))
        << member << " " << value;
  }
  Write(header.dump() + "\n" + row.dump() + "\n");
  EXPECT_EQ(Complaint(path_), "");
}

TEST_F(Log, WithATrialTwiceIsRefused) {
  const Plan plan = TwoArms(1);
  Observation row = Observe(plan, [](const Trial&) { return 1; })[0];
  {
    LogWriter writer = NewLog(plan);
    writer.Append(ToJson(row));
    row.attempt = 2;  // of a unit that was run again
    writer.Append(ToJson(row));
  }
  EXPECT_EQ(Complaint(path_), "");
  Write(Text() + ToJson(row).dump() + "\n");
  EXPECT_EQ(Complaint(path_), "line 4: trial 1 is there twice");
}

TEST_F(Log, ThatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(LogWriter::Create(path_), os::IoError);
  EXPECT_THROW(LogWriter::Continue(path_), os::IoError);
  EXPECT_THROW(LogWriter::Create("/dev/null"), os::IoError);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(Log, IsNeverOverwritten) {
  static_cast<void>(NewLog(TwoArms(1)));
  const std::string before = Text();
  EXPECT_THROW(LogWriter::Create(path_), os::IoError);
  EXPECT_EQ(Text(), before);
}

TEST_F(Log, ThatWasClaimedAndNeverWrittenVanishes) {
  {
    const LogWriter writer = LogWriter::Create(path_);
    EXPECT_TRUE(std::filesystem::exists(path_));
    EXPECT_THROW(LogWriter::Create(path_), os::IoError);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Log, LeftEmptyByAKilledRunIsTakenOver) {
  Write("");
  static_cast<void>(NewLog(TwoArms(1)));
  EXPECT_EQ(ReadLog(path_).header.plan, TwoArms(1));
}

// Another writer appends between the moments at which this one finds the log and locks it: only
// what is read under the lock is the whole log.
TEST_F(Log, GoesOnWithEveryRowThatWasWrittenBeforeItsLock) {
  const Plan plan = TwoArms(1);
  const std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1; });
  {
    LogWriter writer = NewLog(plan);
    writer.Append(ToJson(rows[0]));
    EXPECT_THROW(LogWriter::Continue(path_), os::IoError);
    writer.Append(ToJson(rows[1]));
  }
  const auto [writer, file] = LogWriter::Continue(path_);
  EXPECT_EQ(ParseLog(file).observations.size(), 2u);
  EXPECT_EQ(ReadLog(path_).observations.size(), 2u);
}

TEST_F(Log, HasOneWriterAtATime) {
  const Plan plan = TwoArms(1);
  const LogWriter writer = NewLog(plan);
  try {
    LogWriter::Continue(path_);
    FAIL() << "a second writer was let in";
  } catch (const os::IoError& error) {
    EXPECT_EQ(error.reason(), "another mrbench is writing to this log");
  }
}

// A limit on the size of files stands for a full disk: both end a write half-way.
TEST_F(Log, OnAFullDiskStaysWholeAndSaysSo) {
  const Plan plan = TwoArms(1);
  const std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1; });
  LogWriter writer = NewLog(plan);
  writer.Append(ToJson(rows[0]));
  const std::string before = Text();

  const auto earlier_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit limited = unlimited;
  limited.rlim_cur = before.size() + 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  EXPECT_THROW(writer.Append(ToJson(rows[1])), os::IoError);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, earlier_handler);

  EXPECT_EQ(Text(), before);
  writer.Append(ToJson(rows[1]));
  EXPECT_EQ(ReadLog(path_).observations.size(), 2u);
}

TEST(RemainingTrials, AreAllOfThemForANewLog) {
  const std::vector<Trial> schedule = MakeSchedule(TwoArms(2));
  const std::vector<PlannedTrial> remaining = RemainingTrials(schedule, {});
  ASSERT_EQ(remaining.size(), schedule.size());
  EXPECT_EQ(remaining.front().attempt, 1);
}

TEST(RemainingTrials, BeginWithTheWholeInterruptedUnit) {
  for (const auto& [design, unit_size] : {std::pair(Design::kChain, 5), {Design::kReset, 2}}) {
    const Plan plan = TwoArms(3, design);
    const std::vector<Trial> schedule = MakeSchedule(plan);
    std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1; });
    rows.resize(unit_size + 1);
    const std::vector<PlannedTrial> remaining = RemainingTrials(schedule, rows);
    ASSERT_EQ(remaining.size(), schedule.size() - unit_size);
    EXPECT_EQ(remaining[0].trial, schedule[unit_size]);
    EXPECT_EQ(remaining[0].attempt, 2);
    EXPECT_EQ(remaining[unit_size - 1].attempt, 2);
    EXPECT_EQ(remaining[unit_size].attempt, 1);
  }
}

TEST(RemainingTrials, AreNoneWhenASecondAttemptCompletedTheUnit) {
  const Plan plan = TwoArms(1);
  std::vector<Observation> rows = Observe(plan, [](const Trial&) { return 1; });
  std::vector<Observation> log = {rows[0], rows[1]};
  for (Observation& row : rows) {
    row.attempt = 2;
    log.push_back(row);
  }
  EXPECT_TRUE(RemainingTrials(MakeSchedule(plan), log).empty());
}

}  // namespace
}  // namespace mr::lab
