#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/mrgrep/command_line.h"
#include "app/mrgrep/data_size.h"
#include "app/mrgrep/help.h"
#include "app/mrgrep/locale.h"
#include "app/mrgrep/options.h"
#include "app/mrgrep/progress.h"
#include "app/mrgrep/settings.h"
#include "app/mrgrep/stats.h"
#include "match/engine.h"
#include "os/error.h"
#include "os/stack_overflow.h"
#include "pattern/pattern.h"
#include "print/standard_output.h"
#include "print/text_printer.h"
#include "search/search.h"
#include "walk/file_walk.h"

namespace mr::app {
namespace {

constexpr int kSelected = 0;
constexpr int kNotSelected = 1;
constexpr int kTrouble = 2;

// Messages begin with the name the program was called by, without its folder: mrgrep, or that of a
// link such as grep.
std::string ProgramName(const char* argument) {
  const std::string_view path = argument != nullptr ? argument : "mrgrep";
  return std::string(path.substr(path.rfind('/') + 1));
}

// egrep, fgrep and rgrep are grep with one option given.
std::vector<TypedOption> OptionsOfName(std::string_view program_name) {
  if (program_name == "egrep") return {{OptionId::kExtendedRegexp, ""}};
  if (program_name == "fgrep") return {{OptionId::kFixedStrings, ""}};
  if (program_name == "rgrep") return {{OptionId::kRecursive, ""}};
  return {};
}

class Grep {
 public:
  explicit Grep(std::string name) : name_(std::move(name)) {}

  // Throws what the rooms throw: see main.
  int Run(const std::vector<std::string>& arguments) const {
    const auto start = std::chrono::steady_clock::now();
    const pattern::Charset charset = AdoptLocale();
    CommandLine typed = ParseCommandLine(arguments, std::getenv("POSIXLY_CORRECT") != nullptr);
    std::vector<TypedOption> all_options = OptionsOfName(name_);
    all_options.insert(all_options.end(), typed.options.begin(), typed.options.end());

    GrepOptions options;
    Warnings warnings(*this);
    ApplyOptions(all_options, charset == pattern::Charset::kUtf8, options, warnings.list);
    if (options.show_version) return Show(VersionText(name_));
    if (options.show_help) return Show(HelpText(name_));
    GrepSettings settings =
        ResolveSettings(std::move(options), std::move(typed.operands), charset, warnings.list);
    warnings.Print();
    if (settings.nothing_can_match) return kNotSelected;

    const std::unique_ptr<match::Engine> engine = match::Engine::Compile(settings.source);
    for (const std::string& warning : engine->warnings()) Complain("warning: " + warning);
    if (settings.debug) {
      Complain("engine: " + std::string(engine->name()) + " (" + std::string(engine->reason()) +
               ")");
    }
    return Search(std::move(settings), *engine, start);
  }

  void Complain(std::string_view message) const { print::WriteMessage(name_, message); }
  const std::string& name() const { return name_; }

 private:
  // Prints the warnings collected so far, also when an exception ends their collection.
  struct Warnings {
    explicit Warnings(const Grep& grep_) : grep(grep_) {}
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    ~Warnings() { Print(); }
    void Print() {
      for (const std::string& warning : list) grep.Complain(warning);
      list.clear();
    }

    const Grep& grep;
    std::vector<std::string> list;
  };

  int Show(const std::string& text) const {
    print::StandardOutput output(name_, print::StandardOutput::Buffering::kBlocks, false);
    output.Write(text);
    output.Flush();
    return kSelected;
  }

  int Search(GrepSettings settings, const match::Engine& engine,
             std::chrono::steady_clock::time_point start) const {
    print::StandardOutput output(name_, settings.buffering, settings.no_messages);
    walk::FileWalk files(settings.walk);
    search::SearchPlan& plan = settings.plan;
    plan.count_bytes = [&](std::uint64_t enough) {
      return CountBytes(settings.walk, enough).bytes;
    };
    const search::SinkFactory sinks = [&] {
      return std::make_unique<print::TextPrinter>(
          settings.style, settings.style.NeedsMatcher() ? engine.NewMatcher() : nullptr);
    };
    search::Outcome outcome;
    if (settings.progress && ProgressIsWelcome()) {
      std::atomic<std::uint64_t> done_bytes{0};
      plan.done_bytes = &done_bytes;
      Progress progress(name_, done_bytes, [&](const std::atomic<bool>& stop) {
        const DataSize size =
            CountBytes(settings.walk, std::numeric_limits<std::uint64_t>::max(), &stop);
        return size.complete ? std::optional(size.bytes) : std::nullopt;
      });
      OutputUnderProgress under(output, progress);
      outcome = search::Search(plan, engine, files, sinks, under);
    } else {
      outcome = search::Search(plan, engine, files, sinks, output);
    }
    output.Flush();
    if (settings.stats != StatsFormat::kNone) {
      const std::string stats =
          FormatStats(settings.stats, outcome.totals, std::chrono::steady_clock::now() - start);
      print::WriteError(stats);
    }
    if (outcome.failed && !(settings.quiet && outcome.selected)) return kTrouble;
    return outcome.selected ? kSelected : kNotSelected;
  }

  const std::string name_;
};

int Main(int argc, char** argv) {
  const Grep grep(ProgramName(argc > 0 ? argv[0] : nullptr));
  os::ReportStackOverflow(grep.name() + ": stack overflow", kTrouble);
  const os::AlternateStack stack;
  try {
    return grep.Run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const UsageFailure& failure) {
    if (*failure.what() != '\0') grep.Complain(failure.what());
    if (failure.hint() == UsageFailure::Hint::kUsage) print::WriteError(UsageHint(grep.name()));
    return failure.status();
  } catch (const pattern::PatternError& error) {
    std::istringstream messages(error.what());
    for (std::string message; std::getline(messages, message);) grep.Complain(message);
  } catch (const std::bad_alloc&) {
    grep.Complain("memory exhausted");
  } catch (const std::exception& error) {
    // A file of patterns that cannot be read, output that cannot be written: what() is the message.
    grep.Complain(error.what());
  }
  return kTrouble;
}

}  // namespace
}  // namespace mr::app

int main(int argc, char** argv) { return mr::app::Main(argc, argv); }
