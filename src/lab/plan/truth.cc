#include "lab/plan/truth.h"

namespace mr::lab {

std::optional<Truth> TruthFromSidecar(const DataSidecar& sidecar, std::string_view pattern) {
  if (sidecar.spec.needle != pattern || !IsPlainText(pattern)) return std::nullopt;
  return Truth{.matches = sidecar.spec.needles, .source = "the sidecar of the data"};
}

bool IsPlainText(std::string_view text) {
  return text.find_first_of("\\.[]*^$+?(){}|") == std::string_view::npos;
}

}  // namespace mr::lab
