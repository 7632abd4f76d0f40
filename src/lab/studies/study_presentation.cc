#include "lab/studies/study_presentation.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "lab/report/html.h"
#include "lab/studies/appcache.h"
#include "lab/studies/cost.h"
#include "lab/studies/study.h"
#include "lab/studies/sweep.h"

namespace mr::lab {
namespace {

// The seed clipped its second figure there.
constexpr double kSweepClipSeconds = 4;

class StudyPresentation : public Presentation {
 public:
  StudyPresentation(StudyLog log, StudyReport report)
      : log_(std::move(log)), report_(std::move(report)) {}

  std::string Title() const override {
    return fmt::format("mrbench {} ({})", log_.header.study, log_.header.started.substr(0, 10));
  }

  std::string Show(ReportFormat format) const override {
    switch (format) {
      case ReportFormat::kText:
        return report_.text;
      case ReportFormat::kMarkdown:
        return "```\n" + report_.text + "```\n";
      case ReportFormat::kCsv:
        return ToCsv(report_.table);
      case ReportFormat::kJson:
        break;
    }
    return report_.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  std::string Html() const override {
    return fmt::format("<h1>{}</h1>\n", EscapeHtml(Title())) + HtmlPreformatted(report_.text) +
           HtmlSection("Every figure", HtmlDetails("As a table", HtmlTable(report_.table))) +
           HtmlSection("What was run",
                       HtmlDetails("Plan", HtmlPreformatted(log_.header.plan.dump(2))) +
                           HtmlDetails("Machine and file system",
                                       HtmlPreformatted(log_.header.environment.dump(2))));
  }

  bool NeedsFigures() const override { return true; }

  std::vector<Figure> Figures() const override {
    std::vector<Figure> figures;
    for (const StudyFigure& figure : report_.figures) {
      if (!figure.script.empty()) figures.push_back({figure.name, figure.script});
    }
    return figures;
  }

  std::vector<MeasuredThing> Measured() const override {
    std::map<std::pair<std::string, std::string>, std::vector<double>> values;
    for (const StudyRow& row : log_.rows) {
      for (const auto& [figure, value] : row.figures) values[{row.cell, figure}].push_back(value);
    }
    std::vector<MeasuredThing> things;
    for (auto& [name, list] : values) {
      const auto& [cell, figure] = name;
      const std::size_t unit = figure.rfind('_');
      things.push_back({cell + " " + figure.substr(0, unit),
                        unit == std::string::npos ? "" : figure.substr(unit + 1), std::move(list)});
    }
    return things;
  }

  bool HasFailures() const override { return CountFailures(log_) > 0; }

 private:
  StudyLog log_;
  StudyReport report_;
};

template <typename Report>
std::unique_ptr<Presentation> PresentStudy(const LogFile& file, const Report& report) {
  StudyLog log = ParseStudyLog(file, file.kind());
  StudyReport shown = report(log);
  return std::make_unique<StudyPresentation>(std::move(log), std::move(shown));
}

}  // namespace

std::unique_ptr<Presentation> PresentSweep(const LogFile& log) {
  return PresentStudy(log,
                      [](const StudyLog& study) { return ReportSweep(study, kSweepClipSeconds); });
}

std::unique_ptr<Presentation> PresentCost(const LogFile& log) {
  return PresentStudy(log, ReportCost);
}

std::unique_ptr<Presentation> PresentAppcache(const LogFile& log) {
  return PresentStudy(log, ReportAppcache);
}

}  // namespace mr::lab
