// The log of `mrbench pairs` as a page, as figures, and for comparison with another log.
#include <fmt/format.h>

#include <utility>

#include "lab/analysis/conclusion.h"
#include "lab/log/log.h"
#include "lab/report/html.h"
#include "lab/report/pairs_figures.h"
#include "lab/report/pairs_pictures.h"
#include "lab/report/presentation.h"
#include "lab/report/published_2006.h"
#include "lab/report/report.h"

namespace mr::lab {
namespace {

std::string Bulleted(const std::vector<std::string>& sentences, std::string_view style) {
  if (sentences.empty()) return "";
  std::string html = fmt::format("<ul{}>\n", style);
  for (const std::string& sentence : sentences) {
    html += fmt::format("<li>{}</li>\n", EscapeHtml(sentence));
  }
  return html + "</ul>\n";
}

// What was published in 2006 beside our pairs of the same name; nothing when we have none of them.
std::string PublishedSection(const Plan& plan, const Report& report) {
  Table table{.header = {"pair", "2006 real", "against rr", "user", "sys", "ours real",
                         "against rr", "user", "sys"},
              .rows = {},
              .word_columns = 1};
  const Cell* rr = nullptr;
  for (const Cell& cell : report.pairs) {
    if (CellLabel(plan, cell) == "rr" && cell.real) rr = &cell;
  }
  const PublishedPair& published_rr = kPublished2006.back();
  for (const PublishedPair& published : kPublished2006) {
    for (const Cell& cell : report.pairs) {
      if (CellLabel(plan, cell) != published.pair || !cell.real) continue;
      table.rows.push_back(
          {std::string(published.pair), fmt::format("{:.2f}", published.median_real_s),
           fmt::format("{:.2f}", published.median_real_s / published_rr.median_real_s),
           fmt::format("{:.2f}", published.median_user_s),
           fmt::format("{:.2f}", published.median_system_s),
           fmt::format("{:.2f}", cell.real->median),
           rr != nullptr ? fmt::format("{:.2f}", cell.real->median / rr->real->median) : "-",
           fmt::format("{:.2f}", cell.user->median), fmt::format("{:.2f}", cell.system->median)});
    }
  }
  if (table.rows.size() < kPublished2006.size()) return "";
  return HtmlSection(
      "Beside the figures of 2006",
      HtmlTable(table) +
          HtmlParagraph("Medians in seconds. Published: grep (r) and grep --mmap (m) over "
                        "2052167894 bytes with 932249600 bytes of memory, FreeBSD, a disk of a bit "
                        "over 25 MB/s (Peter Jeremy, March 2006). Compare the columns \"against "
                        "rr\"; the seconds are those of another machine and other sizes."));
}

class PairsPresentation : public Presentation {
 public:
  explicit PairsPresentation(LogContents log)
      : log_(std::move(log)), report_(Analyze(log_.header.plan, log_.observations)) {}

  std::string Title() const override {
    std::string arms;
    for (const Arm& arm : plan().arms) arms += (arms.empty() ? "" : ", ") + arm.name;
    return fmt::format("Ordered pairs of {} ({})", arms, log_.header.started.substr(0, 10));
  }

  std::string Show(ReportFormat format) const override {
    return FormatReport(format, log_, report_);
  }

  std::string Html() const override {
    std::string html = fmt::format("<h1>{}</h1>\n", EscapeHtml(Title()));
    html += Bulleted(Conclude(plan(), report_), "");
    html += Bulleted(FindDoubts(log_, report_), " class=\"warn\"");
    html += TrialsSection() + CarryOverSection() + PublishedSection(plan(), report_) +
            CacheSection() + TimeSection();
    html += HtmlSection("What was run",
                        HtmlPreformatted(DescribeRun(log_, report_)) +
                            HtmlDetails("Everything that is known about the machine",
                                        HtmlPreformatted(log_.header.environment.dump(2))));
    html += HtmlSection(
        "Every trial",
        HtmlDetails("As BSD's time prints them", HtmlPreformatted(ListTrials(plan(), report_))) +
            HtmlDetails("Trials that do not count, and what happened between",
                        HtmlPreformatted(DescribeExcluded(log_, report_))));
    return html;
  }

  std::vector<Figure> Figures() const override { return PairsFigures(plan(), report_); }

  std::vector<MeasuredThing> Measured() const override {
    std::vector<MeasuredThing> things;
    const auto add = [&](const Cell& cell) {
      const std::string label = CellLabel(plan(), cell);
      things.push_back({label + " real", "s", Values(cell.observations, RealSeconds)});
      things.push_back({label + " user", "s", Values(cell.observations, UserSeconds)});
      things.push_back({label + " sys", "s", Values(cell.observations, SystemSeconds)});
      things.push_back({label + " disk", "bytes", Values(cell.observations, DiskBytes)});
    };
    for (const Cell& cell : report_.pairs) add(cell);
    for (const Cell& cell : report_.lead_ins) add(cell);
    return things;
  }

  bool HasFailures() const override { return !report_.excluded.empty(); }

 private:
  const Plan& plan() const { return log_.header.plan; }

  std::string TrialsSection() const {
    return HtmlSection(
        "The pairs",
        HtmlTable(PairTable(plan(), report_)) + HtmlPreformatted(Footnotes(report_)) +
            HtmlFigure(DrawStrips(plan(), report_, Measure::kReal),
                       "Real time: a dot for each trial (outliers are rings, and count), the "
                       "median as a line, its 95 % interval as a band. A pair has the colour of "
                       "its second arm, which is the one that is timed.") +
            HtmlFigure(DrawStrips(plan(), report_, Measure::kDiskBytes),
                       "The same for the bytes that the process fetched from storage."));
  }

  std::string CarryOverSection() const {
    if (plan().arms.size() < 2) return "";
    return HtmlSection(
        "Carry-over",
        HtmlParagraph("The second arm after the first, against the second arm after itself. Below "
                      "1, the first left the cache in a better state than the second leaves for "
                      "itself. Bold: the interval and p allow the claim.") +
            "<h3>Real time</h3>\n" + DrawRatioMatrix(plan(), report_, Measure::kReal) +
            "<h3>Bytes from the disk</h3>\n" +
            DrawRatioMatrix(plan(), report_, Measure::kDiskBytes) +
            HtmlTable(CarryOverTable(plan(), report_)));
  }

  std::string CacheSection() const {
    return HtmlSection(
        "The page cache",
        HtmlFigure(
            DrawResidency(plan(), report_),
            "A row for each trial: the file from its beginning (left) to its end. Dark parts "
            "were in the page cache, before the run and after it."));
  }

  std::string TimeSection() const {
    std::string html = HtmlFigure(
        DrawExperiment(plan(), report_),
        "From the first trial to the last. Grey trials do not count. What others read is "
        "the difference between the machine's disk reads and the trial's own.");
    if (const std::string progress = DrawProgress(plan(), report_); !progress.empty()) {
      html += HtmlFigure(progress,
                         "Inside a run: what the machine had read from disks, for the run of each "
                         "pair that took the median time. Flat where the cache answered.");
    }
    return HtmlSection("Over time", html);
  }

  LogContents log_;
  Report report_;
};

}  // namespace

std::unique_ptr<Presentation> PresentPairs(const LogFile& log) {
  return std::make_unique<PairsPresentation>(ParseLog(log));
}

}  // namespace mr::lab
