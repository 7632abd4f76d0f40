// The ways in which a report may be printed.
#pragma once

#include <optional>
#include <string_view>

namespace mr::lab {

enum class ReportFormat { kText, kMarkdown, kCsv, kJson };

std::optional<ReportFormat> ParseReportFormat(std::string_view name);  // "text", "markdown", ...

}  // namespace mr::lab
