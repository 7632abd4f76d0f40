// Figures, drawn by gnuplot(1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mr::lab {

// Runs `script`, which holds its data inline and names neither terminal nor output, and writes the
// figure to `path`: SVG or PNG, by the end of its name. The file gets its name when it is complete.
// Throws os::IoError when gnuplot is missing, complains, or cannot write.
void DrawFigure(const std::string& script, const std::string& path);

// The same figure as the text of an SVG file. `name` stands for it in complaints.
std::string DrawSvg(const std::string& script, const std::string& name);

// `text` as a string in single quotes of gnuplot's language; control characters become spaces.
std::string GnuplotQuote(std::string_view text);

// The script of a figure with several series. gnuplot refuses data without points, so series that
// have none are left out.
class Plot {
 public:
  // `points` is a line of columns for each; `how` is "using 1:2 with lines" or the like.
  void Add(const std::string& points, std::string_view how, std::string_view title);
  // `settings` are lines; `curves` are expressions to plot as well ("x with lines"). Empty when no
  // series has a point.
  std::string Script(const std::string& settings,
                     const std::vector<std::string>& curves = {}) const;

 private:
  std::string data_;
  std::string plots_;
  int series_ = 0;
};

}  // namespace mr::lab
