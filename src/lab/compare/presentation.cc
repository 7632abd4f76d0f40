#include "lab/compare/presentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/compare/analysis.h"
#include "lab/compare/log.h"
#include "lab/compare/report.h"
#include "lab/report/html.h"
#include "lab/report/svg.h"

namespace mr::lab {
namespace {

std::string CellName(const ComparePlan& plan, const CompareCell& cell) {
  return fmt::format("{} {} at {}", CacheStartName(cell.start), plan.arms[cell.arm].name,
                     plan.places[cell.place].name);
}

std::vector<double> Times(const CompareCell& cell) {
  return Values(cell.observations, RealSeconds);
}

// Every trial as a dot in the colour of its place, a row for each cell.
std::string DrawCells(const ComparePlan& plan, const CompareReport& report) {
  constexpr double kRow = 22;
  constexpr double kWidth = 560;
  constexpr double kLeft = 190;
  double most = 0;
  for (const CompareCell& cell : report.cells) {
    for (const double value : Times(cell)) most = std::max(most, value);
  }
  const double bottom = kRow * static_cast<double>(report.cells.size()) + 4;
  Svg svg(kWidth, bottom + 20, "Times of all trials");
  const Scale scale(0, most, kLeft, kWidth - 24);
  svg.AxisX(scale, 0, bottom, [](double value) { return ShortNumber(value) + " s"; });
  double y = kRow / 2 + 2;
  for (const CompareCell& cell : report.cells) {
    svg.Text(0, y + 4, CellName(plan, cell));
    for (const double value : Times(cell)) {
      svg.Dot(scale.At(value), y, 2.5, "fill:" + ArmColour(cell.place), ShortNumber(value) + " s");
    }
    if (cell.real) {
      svg.Line(scale.At(cell.real->median), y - 8, scale.At(cell.real->median), y + 8, "ink");
    }
    y += kRow;
  }
  return svg.Finish();
}

class ComparePresentation : public Presentation {
 public:
  explicit ComparePresentation(CompareLog log)
      : log_(std::move(log)), report_(AnalyzeComparison(log_.header.plan, log_.observations)) {}

  std::string Title() const override {
    return fmt::format("File systems compared ({})", log_.header.started.substr(0, 10));
  }

  std::string Show(ReportFormat format) const override {
    return FormatComparison(format, log_, report_);
  }

  std::string Html() const override {
    const ComparePlan& plan = log_.header.plan;
    std::string html = fmt::format("<h1>{}</h1>\n", EscapeHtml(Title()));
    for (const std::string& sentence : ConcludeComparison(plan, report_)) {
      html += HtmlParagraph(sentence);
    }
    for (const std::string& warning : log_.header.warnings) html += HtmlParagraph(warning);
    html += HtmlSection("The places",
                        HtmlTable(PlaceTable(plan, report_)) +
                            HtmlFigure(DrawCells(plan, report_),
                                       "A dot for each trial that counts, the median as a line."));
    if (const Table nfs = NfsTable(plan, report_); !nfs.rows.empty()) {
      html += HtmlSection("What NFS asked its server for", HtmlTable(nfs));
    }
    return html + HtmlSection("What was run",
                              HtmlPreformatted(DescribeComparison(log_, report_)) +
                                  HtmlDetails("Machine and file systems",
                                              HtmlPreformatted(log_.header.environment.dump(2))));
  }

  std::vector<MeasuredThing> Measured() const override {
    std::vector<MeasuredThing> things;
    for (const CompareCell& cell : report_.cells) {
      things.push_back({CellName(log_.header.plan, cell) + " real", "s", Times(cell)});
    }
    return things;
  }

  bool HasFailures() const override { return !report_.excluded.empty(); }

 private:
  CompareLog log_;
  CompareReport report_;
};

}  // namespace

std::unique_ptr<Presentation> PresentComparison(const LogFile& log) {
  return std::make_unique<ComparePresentation>(ParseCompareLog(log));
}

}  // namespace mr::lab
