// Drives "mrbench report" over logs that are made here, and looks at its pages with a real browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/data/random.h"
#include "lab/log/log.h"
#include "lab/plan/schedule.h"
#include "os/process.h"
#include "os/text_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace mr {
namespace {

using ::testing::Each;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using test::RunProgram;

class Report : public ::testing::Test {
 protected:
  os::ProcessResult Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {MRBENCH_BINARY, "report"});
    return RunProgram(arguments);
  }
  std::string PathOf(const std::string& name) const { return directory_.path() / name; }

  static lab::Plan PlanOf(int blocks) {
    lab::Plan plan;
    // A name that would be markup if it were not escaped.
    plan.arms = {{"mmap", "mrgrep --mmap -e {pattern} {file}"},
                 {"read", "mrgrep --read -e {pattern} {file}"},
                 {"<keep>", "mrgrep --cache=keep -e {pattern} {file}"}};
    plan.blocks = blocks;
    plan.pattern = "a&b";
    plan.file = "/var/tmp/" + std::string(120, 'x');  // no narrow window has room for that
    plan.file_bytes = 1 << 30;
    plan.memory_bytes = 512 << 20;
    return plan;
  }

  // A chain in which reading takes half the time right after "<keep>"; all times `factor` as long.
  std::string WriteLog(const std::string& name, int blocks, double factor = 1) const {
    const lab::Plan plan = PlanOf(blocks);
    lab::LogWriter log = lab::LogWriter::Create(PathOf(name));
    log.Append(lab::ToJson(lab::LogHeader{.plan = plan,
                                          .truth = {.matches = 3, .source = "--expect"},
                                          .started = "2025-01-31T12:00:00.000Z",
                                          .environment = {{"machine", {{"kernel", "6.18"}}}},
                                          .warnings = {"a <warning>"}}));
    lab::Random noise(7);
    for (const lab::Trial& trial : lab::MakeSchedule(plan)) {
      const double share = trial.previous == 2 && trial.arm == 1 ? 0.5 : 1;
      lab::Observation row;
      row.trial = trial;
      row.started = "2025-01-31T12:00:00.000Z";
      row.real = std::chrono::nanoseconds(
          std::llround(2e9 * factor * share * (1 + 0.02 * noise.Normal())));
      row.io = os::ProcessIo{.read_bytes = static_cast<std::uint64_t>(share * (1 << 30))};
      row.matches = 3;
      row.before = {
          .total_pages = 6400, .resident_pages = 3200, .resident_map = {}, .charged_bytes = {}};
      row.before.resident_map.assign(64, 50);
      row.after = row.before;
      row.pressure = {{"io.some", 1'500'000}};
      for (int i = 1; i <= 5; ++i) {
        row.trace.moments.push_back({.at = std::chrono::milliseconds(400 * i),
                                     .disk_bytes = static_cast<std::uint64_t>(i) << 27,
                                     .charged_bytes = {}});
      }
      log.Append(lab::ToJson(row));
    }
    return PathOf(name);
  }

  test::TempDir directory_;
};

TEST_F(Report, IsWhatPairsPrintsOfTheLog) {
  const std::string log = WriteLog("a.jsonl", 2);
  for (const std::string format : {"text", "markdown", "csv", "json"}) {
    const os::ProcessResult report = Run({log, "--format", format});
    EXPECT_EQ(report.shell_status(), 0) << report.error.text;
    EXPECT_EQ(report.output.text,
              RunProgram({MRBENCH_BINARY, "pairs", "--from", log, "--format", format}).output.text);
  }
}

TEST_F(Report, ComparesLogsOfTheSameKind) {
  const std::string before = WriteLog("before.jsonl", 10);
  const std::string now = WriteLog("now.jsonl", 10, 1.5);
  const os::ProcessResult text = Run({now, "--diff", before});
  EXPECT_EQ(text.shell_status(), 0) << text.error.text;
  EXPECT_THAT(text.output.text, HasSubstr("before: " + before + "\nnow:    " + now));
  const auto json =
      nlohmann::json::parse(Run({now, "--diff", before, "--format", "json"}).output.text);
  int seen = 0;
  for (const auto& row : json.at("measures")) {
    const std::string name = row.at("name");
    if (name.ends_with(" disk") || name.front() == '-') continue;  // the lead-ins are fewer
    if (!name.ends_with(" real")) continue;
    ++seen;
    EXPECT_NEAR(row.at("ratio").get<double>(), 1.5, 0.1) << name;
    EXPECT_TRUE(row.at("differs").get<bool>()) << name;
  }
  EXPECT_EQ(seen, 9);
}

TEST_F(Report, RefusesWhatMakesNoSense) {
  const std::string log = WriteLog("a.jsonl", 1);
  const std::string other = directory_.Write("b.jsonl", "{\"mrbench\":\"tea\",\"format\":1}\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "LOG"},
      {{log, "--format", "html"}, "--format 'html': not text, markdown, csv or json"},
      {{other}, "a log of 'mrbench tea', which this version does not know"},
      {{log, "--diff", "/no/such/log"}, "/no/such/log: No such file or directory"},
      {{log, "--html", "/no/such/directory/page.html"}, "No such file or directory"},
  };
  for (const auto& [arguments, message] : cases) {
    const os::ProcessResult result = Run(arguments);
    EXPECT_EQ(result.shell_status(), 2) << message;
    EXPECT_THAT(result.error.text, HasSubstr(message));
  }
}

TEST_F(Report, ThatCannotBeWrittenIsAnError) {
  const std::string log = WriteLog("a.jsonl", 1);
  const std::vector<std::vector<std::string>> cases = {
      {"report", log},
      {"report", log, log, "--format", "csv"},
      {"report", log, "--format", "json"},
      {"report", log, "--diff", log},
      {"simulate", "--runs", "1", "--blocks", "1"},
  };
  for (const std::vector<std::string>& arguments : cases) {
    os::Command command;
    command.arguments = arguments;
    command.arguments.insert(command.arguments.begin(), MRBENCH_BINARY);
    command.output = os::Stream::File("/dev/full");
    command.error = os::Stream::Capture();
    const os::ProcessResult result = os::Run(command);
    EXPECT_EQ(result.shell_status(), 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(result.error.text, "mrbench: standard output: No space left on device\n")
        << ::testing::PrintToString(arguments);
  }
}

TEST_F(Report, OfALogWhoseNameIsNoUtf8ReplacesWhatJsonCannotHold) {
  const std::string log = WriteLog("\xff.jsonl", 1);
  const os::ProcessResult result = Run({log, "--diff", log, "--format", "json"});
  EXPECT_EQ(result.shell_status(), 0) << result.error.text;
  EXPECT_EQ(nlohmann::json::parse(result.output.text).at("now").get<std::string>(),
            PathOf("\xEF\xBF\xBD.jsonl"));
}

TEST_F(Report, PutsNoFileInThePlaceOfADeviceOrALink) {
  const std::string log = WriteLog("a.jsonl", 1);
  const std::string page = directory_.Write("page.html", "");
  for (const std::string& target : {std::string("/dev/null"), page}) {
    const std::string link = PathOf("link");
    std::filesystem::create_symlink(target, link);
    const os::ProcessResult result = Run({log, "--html", link});
    EXPECT_EQ(result.error.text, "") << target;
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << target;
    std::filesystem::remove(link);
  }
  EXPECT_THAT(os::ReadText(page).value(), HasSubstr("</html>"));
}

TEST_F(Report, OfALogWithoutATrialThatCountsHasNoFigures) {
  const std::string log = WriteLog("a.jsonl", 1);
  const std::string text = os::ReadText(log).value();
  const std::string head = directory_.Write("b.jsonl", text.substr(0, text.find('\n') + 1));
  const os::ProcessResult result = Run({head, "--figures", PathOf("figures")});
  EXPECT_EQ(result.shell_status(), 0);
  EXPECT_EQ(result.error.text, "");
  EXPECT_TRUE(std::filesystem::is_empty(PathOf("figures")));
}

TEST_F(Report, NamesTheLogWhoseMembersAreWrong) {
  const std::string log = WriteLog("a.jsonl", 1);
  const std::string text = os::ReadText(log).value();
  const std::size_t line_end = text.find('\n');
  for (const char* member : {"/environment/machine/kernel", "/environment/file_system/type",
                             "/environment/versions", "/warnings", "/plan", "/truth/matches"}) {
    auto header = nlohmann::json::parse(text.substr(0, line_end));
    header[nlohmann::json::json_pointer(member)] = {{1, 2}};
    const std::string wrong = directory_.Write("b.jsonl", header.dump() + text.substr(line_end));
    const os::ProcessResult result = Run({wrong, "--html", PathOf("page.html")});
    EXPECT_EQ(result.shell_status(), 2) << member;
    EXPECT_THAT(result.error.text, HasSubstr("mrbench: " + wrong + ": ")) << member;
  }
}

TEST_F(Report, DrawsFiguresWithGnuplot) {
  const std::string log = WriteLog("a.jsonl", 3);
  if (RunProgram({"gnuplot", "--version"}).start_failure) {
    std::cout << "missing here: gnuplot\n";
    EXPECT_THAT(Run({log, "--figures", PathOf("figures")}).error.text, HasSubstr("gnuplot"));
    return;
  }
  const os::ProcessResult result = Run({log, "--figures", PathOf("figures")});
  EXPECT_EQ(result.shell_status(), 0) << result.error.text;
  for (const std::string name : {"pairs-real", "pairs-disk", "carry-over", "residency", "trials"}) {
    const std::string svg = os::ReadText(PathOf("figures/" + name + ".svg")).value_or("");
    EXPECT_THAT(svg, HasSubstr("</svg>")) << name;
    EXPECT_GT(svg.size(), 2000u) << name;
    EXPECT_TRUE(
        os::ReadText(PathOf("figures/" + name + ".png")).value_or("").starts_with("\x89PNG"));
  }
}

// Renders pages. What is to be known about them is found out by a script in a copy of the page,
// which is what a person would look for: does it fit, can it be read, is everything drawn?
class Page : public Report {
 protected:
  struct Look {
    nlohmann::json found;
    std::string console;
  };

  static constexpr const char* kQuestions = R"html(<script>
    const root = document.documentElement;
    const colour = (e, p) => getComputedStyle(e)[p].match(/[\d.]+/g).slice(0, 3).map(Number);
    const light = c => { const [r, g, b] = c.map(v => { v /= 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const contrast = (a, b) => { const x = light(a), y = light(b);
      return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
    const paper = colour(document.body, 'backgroundColor');
    document.querySelectorAll('details').forEach(d => d.open = true);
    root.dataset.found = JSON.stringify({
      needed: root.scrollWidth, window: root.clientWidth,
      dark: light(paper) < 0.5,
      contrast: Math.min(...[...document.querySelectorAll('p, td, th, li, h1, h2, figcaption, svg text')]
        .map(e => contrast(colour(e, e.tagName == 'text' ? 'fill' : 'color'), paper))),
      letters: Math.min(...[...document.querySelectorAll('svg text')]
        .map(e => e.getBoundingClientRect().height)),
      drawings: [...document.querySelectorAll('svg')]
        .map(e => ({height: e.getBoundingClientRect().height, marks: e.querySelectorAll('rect, circle, polyline').length})),
      outside: [...document.querySelectorAll('svg')].flatMap(s => { const b = s.getBoundingClientRect();
        return [...s.querySelectorAll('*')].filter(e => { const r = e.getBoundingClientRect();
          return r.width && (r.left < b.left - 1 || r.right > b.right + 1 || r.bottom > b.bottom + 1); })
          .map(e => e.outerHTML.slice(0, 120)); }),
      images: [...document.images].map(e => e.naturalWidth),
      text: document.body.innerText});
  </script>)html";

  // Nothing where there is no browser.
  std::optional<Look> LookAt(const std::string& page, int width, bool dark) const {
    std::string text = os::ReadText(page).value();
    text.insert(text.rfind("</body>"), kQuestions);
    const std::string copy = directory_.Write("copy.html", text);
    for (const char* browser : {"chromium-headless-shell", "chromium"}) {
      const os::ProcessResult result =
          RunProgram({browser, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                      "--user-data-dir=" + PathOf("browser"), "--hide-scrollbars",
                      "--window-size=" + std::to_string(width) + ",900",
                      std::string("--blink-settings=preferredColorScheme=") + (dark ? "0" : "1"),
                      "--enable-logging=stderr", "--dump-dom", "file://" + copy});
      if (result.start_failure) continue;
      const std::string begin = "data-found=\"";
      const std::size_t at = result.output.text.find(begin);
      if (at == std::string::npos) throw std::runtime_error(result.error.text);
      std::string found = result.output.text.substr(at + begin.size());
      found.resize(found.find('"'));
      for (const auto& [escape, character] : {std::pair("&quot;", "\""),
                                              {"&lt;", "<"},
                                              {"&gt;", ">"},
                                              {"&nbsp;", " "},
                                              {"&amp;", "&"}}) {
        for (std::size_t place = 0; (place = found.find(escape, place)) != std::string::npos;
             ++place) {
          found.replace(place, std::string(escape).size(), character);
        }
      }
      return Look{nlohmann::json::parse(found), ConsoleOf(result.error.text)};
    }
    std::cout << "missing here: chromium-headless-shell or chromium\n";
    return std::nullopt;
  }

  static std::string ConsoleOf(const std::string& messages) {
    std::string console;
    for (std::size_t begin = 0; begin < messages.size();) {
      const std::size_t end = std::min(messages.find('\n', begin), messages.size());
      const std::string line = messages.substr(begin, end - begin);
      if (line.find("CONSOLE") != std::string::npos) console += line + "\n";
      begin = end + 1;
    }
    return console;
  }
};

TEST_F(Page, CanBeReadOnNarrowAndWideWindowsByDayAndByNight) {
  const std::string page = PathOf("page.html");
  const os::ProcessResult result = Run({WriteLog("a.jsonl", 10), "--html", page});
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  for (const int width : {340, 1200}) {
    for (const bool dark : {false, true}) {
      const std::optional<Look> look = LookAt(page, width, dark);
      if (!look) return;
      const auto& [found, console] = *look;
      EXPECT_EQ(console, "");
      EXPECT_EQ(found.at("window"), width);
      EXPECT_LE(found.at("needed"), width) << "the page scrolls sideways";
      EXPECT_EQ(found.at("dark"), dark);
      // WCAG 2: 4.5 is the least for text of this size.
      EXPECT_GE(found.at("contrast").get<double>(), 4.5);
      EXPECT_GE(found.at("letters").get<double>(), 9) << "pixels";
      EXPECT_THAT(found.at("outside"), SizeIs(0)) << found.at("outside").dump(1);
      ASSERT_THAT(found.at("drawings"), SizeIs(5));
      for (const auto& drawing : found.at("drawings")) {
        EXPECT_GT(drawing.at("height").get<double>(), 100);
        EXPECT_GT(drawing.at("marks").get<int>(), 8);
      }
    }
  }
}

TEST_F(Page, SaysWhatTheLogSays) {
  const std::string page = PathOf("page.html");
  const std::string before = WriteLog("before.jsonl", 10, 0.5);
  ASSERT_EQ(Run({WriteLog("a.jsonl", 10), "--html", page, "--diff", before}).shell_status(), 0);
  const std::string html = os::ReadText(page).value();
  EXPECT_THAT(html, Not(HasSubstr("<keep>")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  const std::optional<Look> look = LookAt(page, 800, false);
  if (!look) return;
  const std::string text = look->found.at("text");
  EXPECT_THAT(text, HasSubstr("read after <keep>, against read after read: takes 50 % less time"));
  EXPECT_THAT(text, HasSubstr("a <warning>"));
  EXPECT_THAT(text, HasSubstr("Against another log"));
  EXPECT_THAT(text, HasSubstr("Beside the figures of 2006"));
}

TEST_F(Page, OfAStudyHoldsTheFiguresThatGnuplotDraws) {
  const std::string log = PathOf("sweep.jsonl");
  ASSERT_EQ(RunProgram({MRBENCH_BINARY, "sweep", "--max", "4K", "--points", "1", "--repeats", "5",
                        "--rounds", "2", "--dir", directory_.path(), "--log", log})
                .shell_status(),
            0);
  const os::ProcessResult text = Run({log});
  EXPECT_EQ(text.shell_status(), 0) << text.error.text;
  EXPECT_EQ(text.output.text, RunProgram({MRBENCH_BINARY, "sweep", "--from", log}).output.text);
  const std::string page = PathOf("page.html");
  const os::ProcessResult result = Run({log, "--html", page});
  if (RunProgram({"gnuplot", "--version"}).start_failure) {
    std::cout << "missing here: gnuplot\n";
    EXPECT_THAT(result.error.text, HasSubstr("gnuplot"));
    return;
  }
  ASSERT_EQ(result.shell_status(), 0) << result.error.text;
  const std::optional<Look> look = LookAt(page, 340, true);
  if (!look) return;
  EXPECT_EQ(look->console, "");
  EXPECT_LE(look->found.at("needed"), 340);
  EXPECT_THAT(look->found.at("images"), SizeIs(Ge(2)));
  EXPECT_THAT(look->found.at("images"), Each(Gt(100))) << "wide, when it was decoded";
}

}  // namespace
}  // namespace mr
