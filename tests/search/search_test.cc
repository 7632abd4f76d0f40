// The search against a model that reads the definition aloud: whatever the IO mode, the block size
// and the number of threads, the bytes must be those of the simplest possible grep.
#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "io/lines.h"
#include "search/line_scanner.h"
#include "search/plain_search.h"
#include "search/renderer.h"
#include "search/terminators.h"
#include "support/temp_dir.h"

namespace mr::search {
namespace {

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

// The selected line that cannot be shown may be in the block of the text before it, or in a later
// one.
TEST(Search, ShowsTheTrailingContextBeforeALineThatIsNoText) {
  const test::TempDir dir;
  std::string bytes(io::kBinaryWindowBytes - 21, '-');
  bytes += "\nneedle\nplain\nlonger\n";
  ASSERT_EQ(bytes.size(), io::kBinaryWindowBytes);
  bytes += "plain\nneedle\nplain\n" + std::string(100, '-') + std::string("\0\n", 2);
  const std::string path = dir.Write("data", bytes);
  for (const std::uint64_t after : {1, 2, 3}) {
    SearchPlan plan;
    plan.line_numbers = after != 2;
    plan.after_context = after;
    plan.separate_groups = true;
    SCOPED_TRACE(after);
    ExpectModel(plan, "needle", bytes, path, false);
    if (HasFatalFailure()) return;
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
