#include "lab/report/gnuplot.h"

#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "os/error.h"
#include "os/process.h"

namespace mr::lab {
namespace {

// Names may hold what enhanced text takes for markup: "arm_1".
constexpr std::string_view kSvg =
    "svg noenhanced size 960,600 dynamic font 'sans-serif,14' background '#ffffff'";
constexpr std::string_view kPng = "pngcairo noenhanced size 960,600 font 'sans-serif,12'";

std::string FirstLine(const std::string& text) {
  // gnuplot begins its complaints with empty lines and a picture of where it stopped.
  std::size_t begin = text.find_first_not_of(" \n^");
  if (begin == std::string::npos) return "no reason given";
  const std::size_t marked = text.find("line ", begin);
  if (marked != std::string::npos) begin = marked;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Gives what `script` draws to `output`, so that no name of a file has to be put into the script.
// `name` is that of the figure in complaints.
os::ProcessResult Draw(std::string_view terminal, const std::string& script, os::Stream output,
                       const std::string& name) {
  os::Command command;
  command.arguments = {"gnuplot", "-"};
  command.environment = {{"LC_ALL", "C"}};
  command.input = os::Stream::Text("set terminal " + std::string(terminal) + "\n" + script +
                                   "\nunset output\n");
  command.output = std::move(output);
  command.error = os::Stream::Capture();
  os::ProcessResult result = os::Run(command);
  if (result.start_failure) {
    throw os::IoError(name, "figures are drawn by gnuplot, which cannot be run (" +
                                result.start_failure->message() + ")");
  }
  if (!result.succeeded()) {
    throw os::IoError(name, "gnuplot failed: " + FirstLine(result.error.text));
  }
  return result;
}

}  // namespace

std::string GnuplotQuote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    // The end of a line would end the string, and begin a command.
    quoted += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

void Plot::Add(const std::string& points, std::string_view how, std::string_view title) {
  if (points.empty()) return;
  data_ += "$series" + std::to_string(series_) + " << EOD\n" + points + "EOD\n";
  plots_ += std::string(series_ == 0 ? "" : ", ") + "$series" + std::to_string(series_) + " " +
            std::string(how) + " title " + GnuplotQuote(title);
  ++series_;
}

std::string Plot::Script(const std::string& settings,
                         const std::vector<std::string>& curves) const {
  if (series_ == 0) return "";
  std::string script = data_ + settings + "plot " + plots_;
  for (const std::string& curve : curves) script += ", " + curve;
  return script + "\n";
}

void DrawFigure(const std::string& script, const std::string& path) {
  std::string_view terminal;
  if (path.ends_with(".svg")) terminal = kSvg;
  if (path.ends_with(".png")) terminal = kPng;
  if (terminal.empty()) throw os::IoError(path, "figures are .svg or .png");
  const std::string partial = path + ".partial";
  std::error_code error;
  try {
    Draw(terminal, script, os::Stream::File(partial), path);
  } catch (...) {
    std::filesystem::remove(partial, error);
    throw;
  }
  std::filesystem::rename(partial, path, error);
  if (error) throw os::IoError(path, error.value());
}

std::string DrawSvg(const std::string& script, const std::string& name) {
  return Draw(kSvg, script, os::Stream::Capture(), name).output.text;
}

}  // namespace mr::lab
