// The search of many files: their order, and those that are not what they were, or cannot be shown.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/lines.h"
#include "search/plain_search.h"
#include "search/search.h"
#include "support/temp_dir.h"

namespace mr::search {
namespace {

TEST(SearchOfFiles, KeepsFilesInOrderWhateverTheThreads) {
  const test::TempDir dir;
  std::vector<FileTask> tasks;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "file" + std::to_string(i);
    // Large ones among small ones, so that later files are done before earlier ones.
    const std::string bytes =
        RandomText(static_cast<std::uint32_t>(i), i % 50 == 7 ? 80000 : 20, i % 11 == 0);
    tasks.push_back(Named(dir.Write(name, bytes), name));
    if (i % 20 == 0) tasks.push_back(Named(dir.path() / "missing", "missing"));
  }
  SearchPlan plan;
  plan.line_numbers = true;
  plan.after_context = 1;
  plan.separate_groups = true;
  const auto engine = Compile("needle.*cat", plan);
  const Result one = RunSearch(plan, *engine, tasks);
  EXPECT_NE(one.text.find("[error missing: No such file or directory]"), std::string::npos);
  EXPECT_TRUE(one.outcome.failed);
  for (const unsigned threads : {1U, 2U, 4U, 8U}) {
    plan.threads = threads;
    for (FileTask& task : tasks) task.local_file = !task.local_file;
    const Result many = RunSearch(plan, *engine, tasks);
    EXPECT_TRUE(many.text == one.text) << threads;
    EXPECT_EQ(many.outcome.totals.selected_lines, one.outcome.totals.selected_lines);
    EXPECT_EQ(many.outcome.totals.bytes, one.outcome.totals.bytes);
  }
}

// Two large files among many small ones: of the later one so much is shown that it cannot be kept
// until what stands between them has been searched, which the thread at the earlier one left.
TEST(SearchOfFiles, GoesOnWithWhatALargeFileLeftBeforeThoseBehindIt) {
  const test::TempDir dir;
  const auto large = [](char c) {
    std::string bytes;
    while (bytes.size() < std::size_t{48} << 20) bytes.append(79, c).append(1, '\n');
    return bytes;
  };
  const std::string silent = dir.Write("silent", large('y'));
  const std::string loud = dir.Write("loud", large('x'));
  const std::string small = dir.Write("small", "small\n");
  std::vector<FileTask> tasks;
  for (int i = 0; i < 2000; ++i) {
    const bool is_silent = i == 1000 || i == 1500;
    const bool is_loud = i == 1064 || i == 1564;
    tasks.push_back(Named(is_silent ? silent : is_loud ? loud : small, "f"));
  }
  SearchPlan plan;
  const auto engine = Compile("x", plan);
  plan.threads = 2;
  const Result result = RunSearch(plan, *engine, tasks);
  EXPECT_EQ(result.outcome.totals.selected_lines, 2 * (std::uint64_t{48 << 20} / 80 + 1));
  EXPECT_EQ(result.outcome.totals.files, tasks.size());
}

TEST(SearchOfFiles, OpensAsWhatItIsNowWhatWasListedAsAFile) {
  const test::TempDir dir;
  dir.Write("small", "needle\n");
  dir.Write("large", std::string(500'000, 'x') + "\nneedle\n");
  dir.Write("empty", "");
  std::filesystem::create_directory(dir.path() / "directory");
  std::filesystem::create_symlink("small", dir.path() / "link");
  ASSERT_EQ(::mkfifo((dir.path() / "fifo").c_str(), 0600), 0);
  SearchPlan plan;
  const auto engine = Compile("needle|^Linux version", plan);
  std::vector<FileTask> tasks;
  for (const char* name : {"small", "large", "empty", "directory", "link", "fifo", "missing"}) {
    tasks.push_back(Named(dir.path() / name, name));
  }
  tasks.push_back(Named("/proc/version", "mounted"));
  for (FileTask& task : tasks) {
    task.follow_symlink = false;
    task.skip_directory = task.skip_device = true;
  }
  const std::string usual = RunSearch(plan, *engine, tasks).text;
  EXPECT_NE(usual.find("small:0:0:needle"), std::string::npos);
  EXPECT_NE(usual.find("mounted:0:0:Linux version"), std::string::npos);
  EXPECT_NE(usual.find("[error missing: No such file or directory]"), std::string::npos);
  for (FileTask& task : tasks) task.local_file = true;
  EXPECT_EQ(RunSearch(plan, *engine, tasks).text, usual);
}

// Lets nobody go on who has found something before all threads have.
class Meeting {
 public:
  explicit Meeting(unsigned threads) : missing_(threads) {}
  bool Join() {
    std::unique_lock lock(mutex_);
    --missing_;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned missing_;
};

class MeetingSink final : public Sink {
 public:
  explicit MeetingSink(Meeting& meeting) : meeting_(meeting) {}
  Flow Accept(const Line&, RenderedText&) override {
    if (!std::exchange(joined_, true)) {
      EXPECT_TRUE(meeting_.Join());
    }
    return Flow::kContinue;
  }
  void Gap(RenderedText&) override {}
  void Finish(const FileSummary&, RenderedText&) override {}

 private:
  Meeting& meeting_;
  bool joined_ = false;
};

TEST(SearchOfFiles, HasAllThreadsSearchAtOnce) {
  struct Row {
    unsigned threads;
    std::size_t bytes;  // of each file
    int plain_files;    // before those in which something is found
    int files;
  };
  const std::vector<Row> table = {
      {2, 700'000, 2, 6},     // few files, but much to search
      {2, 100'000, 64, 16},   // one thread must not take all that are left
      {40, 10, 64, 40 * 64},  // many threads, with many small files each
  };
  const test::TempDir dir;
  for (const Row& row : table) {
    SCOPED_TRACE(row.threads * 1'000'000 + row.bytes);
    const std::string text(row.bytes, 'x');
    const std::string plain = dir.Write("plain", text);
    const std::string found = dir.Write("found", text + "\nneedle\n");
    std::vector<FileTask> tasks(static_cast<std::size_t>(row.plain_files), Named(plain, "plain"));
    tasks.resize(tasks.size() + static_cast<std::size_t>(row.files), Named(found, "found"));
    SearchPlan plan;
    plan.threads = row.threads;
    const auto engine = Compile("needle", plan);
    Meeting meeting(row.threads);
    ListQueue queue(tasks);
    StringOutput output;
    const SinkFactory sinks = [&] { return std::make_unique<MeetingSink>(meeting); };
    Search(plan, *engine, queue, sinks, output);
  }
}

// Each preparation ends only when there are as many of them at once as threads.
class MeetingQueue final : public FileQueue {
 public:
  MeetingQueue(std::vector<FileTask> tasks, Meeting& meeting, unsigned wanted)
      : list_(std::move(tasks)), meeting_(meeting), wanted_(wanted) {}

  std::optional<FileTask> Next() override { return list_.Next(); }
  std::unique_ptr<Preparation> Prepare() override {
    if (made_ == wanted_) return nullptr;
    ++made_;
    return std::make_unique<Joining>(meeting_);
  }
  unsigned made() const { return made_; }

 private:
  class Joining final : public Preparation {
   public:
    explicit Joining(Meeting& meeting) : meeting_(meeting) {}
    void Run() override { EXPECT_TRUE(meeting_.Join()); }

   private:
    Meeting& meeting_;
  };

  ListQueue list_;
  Meeting& meeting_;
  const unsigned wanted_;
  unsigned made_ = 0;
};

TEST(SearchOfFiles, PreparesForLaterFilesByAllThreadsAtOnce) {
  const test::TempDir dir;
  const std::vector<FileTask> tasks(4000, Named(dir.Write("file", "text\n"), "file"));
  SearchPlan plan;
  plan.threads = 3;
  const auto engine = Compile("needle", plan);
  Meeting meeting(plan.threads);
  MeetingQueue queue(tasks, meeting, plan.threads);
  StringOutput output;
  const SinkFactory sinks = [&] { return std::make_unique<PlainSink>(plan, false); };
  EXPECT_EQ(Search(plan, *engine, queue, sinks, output).totals.files, tasks.size());
  EXPECT_EQ(queue.made(), plan.threads);
}

TEST(SearchOfFiles, StopsBehindTheFirstFileThatMatchesWhenNothingIsShown) {
  const test::TempDir dir;
  std::vector<FileTask> tasks;
  tasks.push_back(Named(dir.path() / "gone", "gone"));
  for (int i = 0; i < 200; ++i) {
    tasks.push_back(Named(dir.Write("f" + std::to_string(i), i < 100 ? "no\n" : "needle\n"), "f"));
  }
  tasks.push_back(Named(dir.path() / "late", "late"));
  SearchPlan plan;
  plan.report = Report::kNothing;
  const auto engine = Compile("needle", plan);
  for (const unsigned threads : {1U, 4U}) {
    plan.threads = threads;
    const Result result = RunSearch(plan, *engine, tasks);
    EXPECT_TRUE(result.outcome.selected);
    EXPECT_EQ(result.text, "[error gone: No such file or directory]\n");
  }
}

TEST(SearchOfFiles, ShowsWhatWasFoundBeforeAFileShrankAndFails) {
  const test::TempDir dir;
  std::string bytes;
  for (int i = 0; i < 400000; ++i) bytes += "needle " + std::to_string(i) + "\n";
  // Small blocks where there are many threads: the first result must come before all is read.
  for (const std::string mode : {"mmap", "read", "mmap:window=64K", "read:buffer=64K"}) {
    for (const unsigned threads : {1U, 4U}) {
      if (threads > 1 && mode.size() == 4) continue;
      const std::string path = dir.Write("data", bytes);
      SearchPlan plan;
      plan.io = io::ParseIoSpec(mode);
      plan.threads = threads;
      const auto engine = Compile("needle", plan);

      // Cuts the file as soon as the first results arrive.
      class CuttingOutput final : public Output {
       public:
        explicit CuttingOutput(std::string file) : file_(std::move(file)) {}
        void Write(std::string_view written) override {
          if (text.empty()) {
            EXPECT_EQ(::truncate(file_.c_str(), 5000000), 0);
          }
          text += written;
        }
        void Message(Severity severity, std::string_view message) override {
          EXPECT_EQ(severity, Severity::kFileError);
          messages += message;
        }
        std::string text;
        std::string messages;

       private:
        std::string file_;
      };
      CuttingOutput output(path);
      ListQueue queue({Named(path, "f")});
      const SinkFactory sinks = [&] { return std::make_unique<PlainSink>(plan, true); };
      const Outcome outcome = Search(plan, *engine, queue, sinks, output);
      SCOPED_TRACE(mode + " " + std::to_string(threads));
      EXPECT_TRUE(outcome.failed);
      EXPECT_EQ(output.messages, "f: file shrank while being searched, at offset 5000000");
      // Everything shown is the file's own beginning, but for the newline that ends the last line.
      ASSERT_GT(output.text.size(), 0U);
      output.text.pop_back();
      EXPECT_TRUE(bytes.starts_with(output.text)) << output.text.size();
      EXPECT_LE(output.text.size(), 5000000U);
    }
  }
}

TEST(SearchOfFiles, ReportsAnOutputThatTakesNoMore) {
  const test::TempDir dir;
  const std::string path = dir.Write("data", RandomText(3, 90000, false));
  class FullOutput final : public Output {
   public:
    void Write(std::string_view) override { throw OutputError("write error: full"); }
    void Message(Severity, std::string_view) override {}
  };
  for (const unsigned threads : {1U, 4U}) {
    SearchPlan plan;
    plan.threads = threads;
    const auto engine = Compile("needle", plan);
    std::vector<FileTask> tasks(50, Named(path, "f"));
    ListQueue queue(tasks);
    FullOutput output;
    const SinkFactory sinks = [&] { return std::make_unique<PlainSink>(plan, true); };
    EXPECT_THROW(Search(plan, *engine, queue, sinks, output), OutputError);
  }
}

}  // namespace
}  // namespace mr::search
