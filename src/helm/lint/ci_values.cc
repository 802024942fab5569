// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/ci_values.h"

#include "helm/chart/go_decode.h"

namespace chartwright::helm::lint {

std::vector<CiValues> read_ci_values(const ChartSource& source, Messages& messages) {
  std::vector<CiValues> found;
  for (const std::string& path : source.files_in("ci")) {
    if (!path.ends_with("values.yaml") && !path.ends_with("values.yml")) {
      continue;
    }
    auto text = source.read(path);
    auto values = text.ok() ? helm::decode_yaml_dict(*text) : text.error();
    if (!values.ok()) {
      const auto& pos = values.error().pos();
      const base::SourcePos place{path, pos ? pos->line : 0, pos ? pos->column : 0};
      messages.push_back({Severity::kError, place.to_string(), values.error().message()});
      continue;
    }
    found.push_back({path, std::move(text).value(), std::move(values).value()});
  }
  return found;
}

}  // namespace chartwright::helm::lint
