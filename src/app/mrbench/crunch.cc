// mrbench crunch: the subtraction of mmapcrunch.pl.
#include "lab/studies/crunch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include "app/mrbench/commands.h"
#include "app/mrbench/number.h"
#include "app/mrbench/study.h"
#include "os/error.h"
#include "os/text_file.h"

namespace mr::app {
namespace {

struct CrunchOptions {
  std::string file = "-";
  std::string figures;
  std::string figure_format = "svg";
  double clip_s = 4;
  bool crossover = false;
};

std::string ReadInput(const std::string& file) {
  const bool is_stdin = file == "-";
  const std::optional<std::string> text =
      is_stdin ? os::ReadText(STDIN_FILENO) : os::ReadText(file);
  if (!text) throw os::IoError(is_stdin ? "standard input" : file, errno);
  return *text;
}

std::string DescribeCrossover(const lab::Crunched& crunched) {
  std::vector<double> sizes;
  std::vector<double> read;
  std::vector<double> mmap;
  for (std::size_t i = 0; i < crunched.read.size(); ++i) {
    sizes.push_back(crunched.read[i].size_bytes);
    read.push_back(crunched.read[i].user_s + crunched.read[i].system_s);
    mmap.push_back(crunched.mmap[i].user_s + crunched.mmap[i].system_s);
  }
  const lab::Crossover crossover = lab::FindCrossover(sizes, read, mmap);
  if (!crossover.size_bytes) {
    return fmt::format("read and mmap do not cross: {} is {}\n", crossover.always,
                       crossover.always == "mmap" ? "cheaper at every size"
                                                  : "at most as dear at the largest size");
  }
  return fmt::format("mmap is cheaper than read from {:.1f} KiB (between {:.1f} and {:.1f})\n",
                     *crossover.size_bytes / 1024, crossover.below_bytes / 1024,
                     crossover.above_bytes / 1024);
}

int Crunch(const CrunchOptions& options) {
  CheckFigureFormat(options.figure_format);
  const std::string raw = ReadInput(options.file);
  lab::Crunched crunched;
  try {
    crunched = lab::Crunch(raw);
  } catch (const lab::CrunchError& error) {
    throw os::IoError(options.file == "-" ? "standard input" : options.file, error.what());
  }
  PrintOut(FormatCrunched(crunched));
  if (options.crossover) fmt::print(stderr, "mrbench: {}", DescribeCrossover(crunched));
  if (!options.figures.empty()) {
    DrawFigures({CrunchFigure(crunched, std::nullopt), CrunchFigure(crunched, options.clip_s)},
                options.figures, options.figure_format);
  }
  return 0;
}

}  // namespace

void AddCrunchCommand(CLI::App& root, Action& action) {
  const auto options = std::make_shared<CrunchOptions>();
  CLI::App* command = root.add_subcommand(
      "crunch", "Subtract the times with file cache from those without, as mmapcrunch.pl");
  command->add_option("FILE", options->file, "raw output of mrbench sweep; - is standard input")
      ->capture_default_str();
  command->add_flag("--crossover", options->crossover,
                    "say on standard error from which size on mmap is cheaper");
  command->add_option("--figures", options->figures,
                      "DIRECTORY for bench and benchclip, drawn with gnuplot");
  command->add_option("--figure-format", options->figure_format, "svg or png")
      ->capture_default_str();
  command->add_option("--clip", options->clip_s, "SECONDS at which benchclip is clipped")
      ->transform(RealNumber(kShortestClip, kLongestClip))
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return Crunch(*options); }; });
}

}  // namespace mr::app
