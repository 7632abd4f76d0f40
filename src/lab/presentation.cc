#include "lab/presentation.h"

#include <array>
#include <string_view>

#include "lab/study_presentation.h"
#include "os/error.h"

namespace mr::lab {
namespace {

struct Kind {
  std::string_view name;  // the subcommand that writes such logs
  std::unique_ptr<Presentation> (*present)(const LogFile&);
};

constexpr std::array kKinds = {
    Kind{"pairs", PresentPairs},
    Kind{"compare", PresentComparison},
    Kind{"sweep", PresentSweep},
    Kind{"cost", PresentCost},
    Kind{"appcache", PresentAppcache},
};

}  // namespace

std::unique_ptr<Presentation> Present(const LogFile& log) {
  const std::string kind = log.kind();
  for (const Kind& known : kKinds) {
    if (known.name == kind) return known.present(log);
  }
  throw os::IoError(log.path, "a log of 'mrbench " + kind + "', which this version does not know");
}

}  // namespace mr::lab
