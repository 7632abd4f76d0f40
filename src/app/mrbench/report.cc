// mrbench report: logs of any kind as text, as a web page, as figures, or against another log.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/mrbench/commands.h"
#include "app/mrbench/log.h"
#include "lab/compare/presentation.h"
#include "lab/data/file.h"
#include "lab/log/log_file.h"
#include "lab/report/gnuplot.h"
#include "lab/report/html.h"
#include "lab/report/presentation.h"
#include "lab/studies/study_presentation.h"
#include "os/error.h"

namespace mr::app {
namespace {

// Of the bootstrap, so that the same logs give the same report.
constexpr std::uint64_t kSeed = 1;

struct ReportOptions {
  std::vector<std::string> logs;
  std::string format = "text";
  std::string html;
  std::string figures;
  std::string diff;
};

struct OpenLog {
  std::string path;
  std::string kind;
  bool cut = false;
  std::unique_ptr<lab::Presentation> presentation;
};

struct LogKind {
  std::string_view name;  // the subcommand that writes such logs
  std::unique_ptr<lab::Presentation> (*present)(const lab::LogFile&);
};

constexpr std::array kLogKinds = {
    LogKind{"pairs", lab::PresentPairs},       LogKind{"compare", lab::PresentComparison},
    LogKind{"sweep", lab::PresentSweep},       LogKind{"cost", lab::PresentCost},
    LogKind{"appcache", lab::PresentAppcache},
};

// Throws os::IoError for an unknown kind and for a log that its kind cannot read.
std::unique_ptr<lab::Presentation> Present(const lab::LogFile& log) {
  const std::string kind = log.kind();
  for (const LogKind& known : kLogKinds) {
    if (known.name == kind) return known.present(log);
  }
  throw os::IoError(log.path, "a log of 'mrbench " + kind + "', which this version does not know");
}

OpenLog Open(const std::string& path) {
  return lab::NamingLog(path, [&] {
    const lab::LogFile file = lab::ReadLogFile(path);
    return OpenLog{path, file.kind(), file.cut, Present(file)};
  });
}

// A file gets its name when the page is complete. What is no file, as /dev/stdout, is written to
// as it is: it must not be replaced by a file.
void WriteWhole(const std::string& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    WriteTextFile(path, text);
    return;
  }
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  lab::PartialFile file(error ? path : target.string());
  file.Write(text, 0);
  file.Sync(text.size(), [](std::uint64_t) {});
  file.Publish();
}

std::string DifferenceHtml(const OpenLog& log, const OpenLog& other,
                           const std::vector<lab::Difference>& differences) {
  return lab::HtmlSection(
      "Against another log",
      lab::HtmlParagraph(fmt::format("Before: {}. Now: {}.", other.path, log.path)) +
          lab::HtmlTable(lab::DifferenceTable(differences)));
}

std::vector<lab::Difference> Compare(const OpenLog& log, const OpenLog& other) {
  if (log.kind != other.kind) {
    throw UsageError(fmt::format("--diff: {} is a log of {}, {} is one of {}", other.path,
                                 other.kind, log.path, log.kind));
  }
  const auto measured = [](const OpenLog& one) {
    return lab::NamingLog(one.path, [&] { return one.presentation->Measured(); });
  };
  return lab::CompareLogs(measured(other), measured(log), kSeed);
}

std::string FormatDifference(const OpenLog& log, const OpenLog& other, lab::ReportFormat format,
                             const std::vector<lab::Difference>& differences) {
  const lab::Table table = lab::DifferenceTable(differences);
  switch (format) {
    case lab::ReportFormat::kText:
      return fmt::format("before: {}\nnow:    {}\n\n{}", other.path, log.path, lab::ToText(table));
    case lab::ReportFormat::kMarkdown:
      return fmt::format("before: `{}`, now: `{}`\n\n{}", other.path, log.path,
                         lab::ToMarkdown(table));
    case lab::ReportFormat::kCsv:
      return lab::ToCsv(table);
    case lab::ReportFormat::kJson:
      break;
  }
  lab::Json rows = lab::Json::array();
  for (const lab::Difference& row : differences) {
    rows.push_back({{"name", row.name},
                    {"unit", row.unit},
                    {"before", row.before},
                    {"now", row.after},
                    {"ratio", row.ratio},
                    {"interval", {row.interval.low, row.interval.high}},
                    {"differs", row.differs}});
  }
  const lab::Json json = {{"before", other.path}, {"now", log.path}, {"measures", rows}};
  // Names of files may be any bytes.
  return json.dump(2, ' ', false, lab::Json::error_handler_t::replace) + "\n";
}

void DrawAll(const std::vector<OpenLog>& logs, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw os::IoError(directory, error.value());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    // Several logs would draw over each other.
    const std::string prefix = logs.size() == 1 ? "" : fmt::format("{}-", i + 1);
    for (const lab::Figure& figure : logs[i].presentation->Figures()) {
      for (const char* ending : {".svg", ".png"}) {
        lab::DrawFigure(figure.script,
                        fmt::format("{}/{}{}{}", directory, prefix, figure.name, ending));
      }
    }
  }
}

// The figure as an image within the page. SVG needs no encoding but that of the characters that
// mean something in a URL or an attribute (RFC 3986, section 2.1).
std::string InlineImage(const lab::Figure& figure) {
  const std::string svg = lab::DrawSvg(figure.script, figure.name);
  std::string encoded;
  for (const char c : svg) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
        std::string_view(" -_.,:;=/()!*").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return fmt::format("<img alt=\"{}\" style=\"width:100%\" src=\"data:image/svg+xml,{}\">",
                     lab::EscapeHtml(figure.name), encoded);
}

void WritePage(const std::vector<OpenLog>& logs, const std::optional<OpenLog>& other,
               const std::string& path) {
  std::string body;
  for (const OpenLog& log : logs) {
    body += lab::NamingLog(log.path, [&] { return log.presentation->Html(); });
    if (log.presentation->NeedsFigures()) {
      for (const lab::Figure& figure : log.presentation->Figures()) {
        body += lab::HtmlFigure(InlineImage(figure), figure.name);
      }
    }
    if (other) body += DifferenceHtml(log, *other, Compare(log, *other));
  }
  WriteWhole(path, lab::HtmlPage(logs.front().presentation->Title(), body));
}

int Report(const ReportOptions& options) {
  const lab::ReportFormat format = FormatOf(options.format);
  std::vector<OpenLog> logs;
  for (const std::string& path : options.logs) logs.push_back(Open(path));
  std::optional<OpenLog> other;
  if (!options.diff.empty()) other = Open(options.diff);

  bool failures = false;
  std::string text;
  for (const OpenLog& log : logs) {
    failures = failures || log.presentation->HasFailures();
    if (&log != &logs.front() && format != lab::ReportFormat::kJson) text += '\n';
    text += other ? FormatDifference(log, *other, format, Compare(log, *other))
                  : lab::NamingLog(log.path, [&] { return log.presentation->Show(format); });
  }
  PrintOut(text);
  if (!options.html.empty()) WritePage(logs, other, options.html);
  if (!options.figures.empty()) DrawAll(logs, options.figures);
  return failures ? kSomeTrialsFailed : 0;
}

}  // namespace

void AddReportCommand(CLI::App& root, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      root.add_subcommand("report", "Show logs as text, as a web page, or as figures");
  command->add_option("LOG", options->logs, "written by one of the other subcommands")->required();
  command->add_option("--format", options->format, "text, markdown, csv, json")
      ->capture_default_str();
  command->add_option("--html", options->html, "FILE to be made: a page that needs nothing else");
  command->add_option("--figures", options->figures, "DIRECTORY for figures, drawn by gnuplot");
  command->add_option("--diff", options->diff, "LOG of the same kind to compare each with");
  command->callback([options, &action] { action = [options] { return Report(*options); }; });
}

}  // namespace mr::app
