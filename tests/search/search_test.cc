// The search against a model that reads the definition aloud: whatever the IO mode, the block size
// and the number of threads, the bytes must be those of the simplest possible grep.
#include "search/search.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "io/lines.h"
#include "search/line_scanner.h"
#include "search/renderer.h"
#include "search/terminators.h"
#include "support/temp_dir.h"

namespace mr::search {
namespace {

// Shows everything that a Sink is told: "path:number:offset:text" with '-' for context.
class PlainSink final : public Sink {
 public:
  PlainSink(const SearchPlan& plan, bool copies) : plan_(plan), copies_(copies) {}

  Flow Accept(const Line& line, RenderedText& out) override {
    if (copies_) {
      (out += line.text) += plan_.terminator;
      return Flow::kContinue;
    }
    const char mark = line.selected ? ':' : '-';
    (out += line.path) += mark;
    (out += std::to_string(line.number)) += mark;
    (out += std::to_string(line.offset)) += mark;
    (out += line.text) += plan_.terminator;
    return Flow::kContinue;
  }
  void Gap(RenderedText& out) override { out += "--\n"; }
  void Finish(const FileSummary& summary, RenderedText& out) override {
    if (plan_.report == Report::kCount) {
      out += std::string(summary.path) + "=" + std::to_string(summary.selected_lines) + "\n";
    }
    if ((plan_.report == Report::kFilesWithMatches && summary.selected_lines > 0) ||
        (plan_.report == Report::kFilesWithoutMatch && summary.selected_lines == 0)) {
      out += std::string(summary.path) + "\n";
    }
  }
  bool copies_lines() const override { return copies_; }

 private:
  const SearchPlan& plan_;
  const bool copies_;
};

class StringOutput final : public Output {
 public:
  void Write(std::string_view bytes) override { text += bytes; }
  void Message(Severity severity, std::string_view message) override {
    text += severity == Severity::kNotice ? "[notice " : "[error ";
    text += std::string(message) + "]\n";
  }
  std::string text;
};

class ListQueue final : public FileQueue {
 public:
  explicit ListQueue(std::vector<FileTask> tasks) : tasks_(tasks.begin(), tasks.end()) {}
  std::optional<FileTask> Next() override {
    if (tasks_.empty()) return std::nullopt;
    FileTask task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  std::deque<FileTask> tasks_;
};

FileTask Named(const std::string& path, const std::string& label) {
  FileTask task;
  task.path = path;
  task.label = label;
  return task;
}

std::unique_ptr<match::Engine> Compile(const std::string& pattern, const SearchPlan& plan) {
  pattern::Source source;
  source.patterns = {pattern};
  source.syntax = pattern::Syntax::kExtended;
  source.charset = pattern::Charset::kBytes;
  source.terminator = plan.terminator;
  source.nul_ends_line = plan.binary_files != BinaryFiles::kText && plan.terminator == '\n';
  return match::Engine::Compile(source);
}

struct Result {
  std::string text;
  Outcome outcome;
};

Result RunSearch(const SearchPlan& plan, const match::Engine& engine,
                 const std::vector<FileTask>& tasks, bool copies = false) {
  ListQueue queue(tasks);
  StringOutput output;
  const SinkFactory sinks = [&] { return std::make_unique<PlainSink>(plan, copies); };
  Result result;
  result.outcome = Search(plan, engine, queue, sinks, output);
  result.text = output.text;
  return result;
}

// What a file holds, line by line; a NUL ends a line too when binary files are detected.
struct ModelLine {
  std::string text;
  std::uint64_t offset;
  std::uint64_t end;
  std::uint64_t number;
  bool matches;
};

// The simplest possible grep, over one file in memory.
std::string Model(const SearchPlan& plan, match::Matcher& matcher, const std::string& path,
                  const std::string& bytes, bool copies) {
  const bool detect = plan.binary_files != BinaryFiles::kText && plan.terminator == '\n';
  std::uint64_t text_end = kNowhere;
  const std::size_t nul = detect ? bytes.find('\0') : std::string::npos;
  if (nul != std::string::npos) text_end = nul / io::kBinaryWindowBytes * io::kBinaryWindowBytes;

  std::vector<ModelLine> lines;
  std::uint64_t number = 1;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = begin;
    while (end < bytes.size() && bytes[end] != plan.terminator && !(detect && bytes[end] == '\0')) {
      ++end;
    }
    const std::string text = bytes.substr(begin, end - begin);
    const std::size_t next = std::min(bytes.size(), end + 1);
    lines.push_back({text, begin, next, number, matcher.Matches(text) != plan.invert});
    if (end < bytes.size() && bytes[end] == plan.terminator) ++number;
    begin = next;
  }

  RenderedText out;
  std::uint64_t selected = 0;
  std::uint64_t after_left = 0;
  std::size_t shown_to = 0;  // index of the line behind the last one shown
  bool shown_any = false;
  bool binary = false;
  const bool prints = plan.report == Report::kLines;
  PlainSink sink(plan, copies);
  const auto show = [&](std::size_t i, bool as_selected) {
    sink.Accept({path, lines[i].text, lines[i].offset, plan.line_numbers ? lines[i].number : 0,
                 as_selected},
                out);
    shown_to = i + 1;
    shown_any = true;
  };
  const std::uint64_t limit =
      prints || plan.report == Report::kCount ? plan.max_count : std::uint64_t{1};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool wanted = lines[i].matches && selected < limit;
    const bool is_text = lines[i].end <= text_end;
    if (!is_text && plan.binary_files == BinaryFiles::kWithoutMatch) {
      if (selected < limit) selected = 0;
      break;
    }
    if (wanted) {
      ++selected;
      if (!prints) continue;
      if (!is_text) {
        binary = true;
        break;
      }
      const std::size_t before = static_cast<std::size_t>(
          std::min<std::uint64_t>(plan.before_context, i - std::max(shown_to, std::size_t{0})));
      const std::size_t first = i - before;
      if (plan.separate_groups && shown_any && first > shown_to) sink.Gap(out);
      for (std::size_t j = first; j < i; ++j) show(j, false);
      show(i, true);
      after_left = plan.after_context;
    } else if (prints && after_left > 0 && is_text) {
      --after_left;
      show(i, false);
    }
  }
  if (binary) out += "[notice " + path + ": binary file matches]\n";
  sink.Finish({path, selected, false}, out);
  return std::string(out.bytes());
}

constexpr const char* kModes[] = {"read:buffer=16", "read:buffer=4K",          "read:buffer=64K",
                                  "read",           "mmap:window=4K",          "mmap",
                                  "direct",         "uring:buffer=96K,depth=3"};

std::string RandomText(std::uint32_t seed, std::size_t lines, bool with_nul) {
  std::uint32_t state = seed;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  std::string text;
  const char* const words[] = {"the", "cat", "sat", "", "xx", "needle", "aaa", "b"};
  const std::size_t nul_line = with_nul ? next() % lines : lines;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::uint32_t count = next() % 6;
    for (std::uint32_t w = 0; w < count; ++w) text += std::string(words[next() % 8]) + " ";
    if (i == nul_line) text += '\0';
    if (next() % 400 == 0) text += std::string(next() % 9000, 'l');
    text += '\n';
  }
  if (next() % 3 == 0 && !text.empty()) text.pop_back();
  return text;
}

void ExpectModel(const SearchPlan& base, const std::string& pattern, const std::string& bytes,
                 const std::string& path, bool copies) {
  const auto engine = Compile(pattern, base);
  const auto matcher = engine->NewMatcher();
  const std::string expected = Model(base, *matcher, "f", bytes, copies);
  for (const std::string mode : kModes) {
    if (mode == "read:buffer=16" && bytes.size() > 100000) continue;  // says nothing more there
    for (const unsigned threads : {1U, 2U, 4U}) {
      SearchPlan plan = base;
      plan.io = io::ParseIoSpec(mode);
      plan.threads = threads;
      FileTask task = Named(path, "f");
      task.local_file = threads == 2;
      const Result result = RunSearch(plan, *engine, {task}, copies);
      ASSERT_TRUE(result.text == expected)
          << mode << " -j" << threads << " pattern " << pattern << "\nexpected "
          << expected.substr(0, 2000) << "\ngot " << result.text.substr(0, 2000);
    }
  }
}

TEST(Search, GivesTheSameBytesInEveryModeBlockSizeAndThreadCount) {
  const test::TempDir dir;
  for (std::uint32_t seed = 1; seed <= 16; ++seed) {
    // Files of 1 MiB and more are shared among threads.
    const std::size_t lines = seed % 8 == 0 ? 90000 : 50 * seed;
    const std::string bytes = RandomText(seed, lines, seed % 3 == 0);
    const std::string path = dir.Write("data", bytes);
    SearchPlan plan;
    plan.invert = seed % 5 == 1;
    plan.line_numbers = seed % 2 == 0;
    plan.binary_files = seed % 7 == 3   ? BinaryFiles::kText
                        : seed % 7 == 6 ? BinaryFiles::kWithoutMatch
                                        : BinaryFiles::kBinary;
    if (seed % 6 == 2) plan.max_count = seed;
    if (seed % 4 >= 2) {
      plan.before_context = seed % 3;
      plan.after_context = seed % 4;
      plan.separate_groups = true;
    }
    const bool copies = seed % 4 == 1 && !plan.line_numbers;
    for (const char* pattern : {"needle", "^the", "(cat|sat).*b", "^$", "zzz"}) {
      SCOPED_TRACE(seed);
      ExpectModel(plan, pattern, bytes, path, copies);
      if (HasFatalFailure()) return;
    }
  }
}

// More text than a thread may hold, so that blocks are written while they are rendered.
TEST(Search, GivesTheSameBytesWhereTheyAreManyMoreThanTheFileHas) {
  const test::TempDir dir;
  std::string bytes;
  for (int i = 0; bytes.size() < (std::size_t{5} << 18); ++i) bytes += i % 7 == 0 ? "b\n" : "a\n";
  const std::string path = dir.Write("data", bytes);
  const std::string label(40, 'n');
  for (const bool context : {false, true}) {
    SearchPlan plan;
    plan.line_numbers = true;
    plan.separate_groups = context;
    plan.after_context = context ? 1 : 0;
    const auto engine = Compile("a", plan);
    const auto matcher = engine->NewMatcher();
    const std::string expected = Model(plan, *matcher, label, bytes, false);
    for (const char* mode : {"read:buffer=512K", "mmap"}) {
      plan.io = io::ParseIoSpec(mode);
      plan.threads = 3;
      const Result result = RunSearch(plan, *engine, {Named(path, label)}, false);
      EXPECT_TRUE(result.text == expected) << mode << (context ? " with context" : "");
    }
  }
}

TEST(Search, CountsAndListsAsTheModelDoes) {
  const test::TempDir dir;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const std::string bytes = RandomText(seed, seed == 4 ? 90000 : 300 * seed, seed % 3 == 0);
    const std::string path = dir.Write("data", bytes);
    for (const Report report :
         {Report::kCount, Report::kFilesWithMatches, Report::kFilesWithoutMatch}) {
      SearchPlan plan;
      plan.report = report;
      plan.invert = seed % 2 == 0;
      plan.binary_files = seed == 6 ? BinaryFiles::kWithoutMatch : BinaryFiles::kBinary;
      if (seed == 5) plan.max_count = 7;
      for (const char* pattern : {"needle", "^the", "^$", "zzz"}) {
        SCOPED_TRACE(seed);
        ExpectModel(plan, pattern, bytes, path, false);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Search, KeepsFilesInOrderWhateverTheThreads) {
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

TEST(Search, OpensAsWhatItIsNowWhatWasListedAsAFile) {
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

TEST(Search, StopsBehindTheFirstFileThatMatchesWhenNothingIsShown) {
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

TEST(Search, ShowsWhatWasFoundBeforeAFileShrankAndFails) {
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

TEST(Search, ReportsAnOutputThatTakesNoMore) {
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

TEST(CountTerminators, AgreesWithCountingOneByOne) {
  std::string bytes;
  std::uint32_t state = 1;
  for (int i = 0; i < 70000; ++i) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>(state >> 24 & 3);
  }
  for (const std::size_t begin : {0, 1, 63, 64, 1000}) {
    for (const std::size_t size : {0, 1, 63, 64, 65, 16320, 16384, 60000}) {
      const std::string_view part = std::string_view(bytes).substr(begin, size);
      EXPECT_EQ(CountTerminators(part, '\2'),
                static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\2')));
    }
  }
  EXPECT_EQ(CountTerminators(std::string(1 << 20, '\2'), '\2'), std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace mr::search
