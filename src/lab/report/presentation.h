// A log of any kind as something to look at: what `mrbench report` needs to know of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/log/log_file.h"
#include "lab/report/difference.h"
#include "lab/report/report_format.h"

namespace mr::lab {

// A figure for gnuplot(1).
struct Figure {
  std::string name;    // of its file, without the ending
  std::string script;  // as DrawFigure of lab/report/gnuplot.h takes it
};

// All strings are made from the log alone. Not thread-safe.
class Presentation {
 public:
  virtual ~Presentation() = default;

  virtual std::string Title() const = 0;  // of the page: what was done, and when
  virtual std::string Show(ReportFormat format) const = 0;
  // The body of a page, of the pieces in lab/report/html.h; begins with <h1>.
  virtual std::string Html() const = 0;
  virtual std::vector<Figure> Figures() const { return {}; }
  // Whether the page has no drawings of its own, and these are to be put into it.
  virtual bool NeedsFigures() const { return false; }
  // What may be compared with another log of the same kind, by name.
  virtual std::vector<MeasuredThing> Measured() const { return {}; }
  // Whether some trials do not count: the exit status.
  virtual bool HasFailures() const = 0;
};

// Of `mrbench pairs`. Throws os::IoError when the log does not hold what such logs do.
std::unique_ptr<Presentation> PresentPairs(const LogFile& log);

}  // namespace mr::lab
