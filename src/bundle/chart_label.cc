// SPDX-License-Identifier: Apache-2.0
#include "bundle/chart_label.h"

#include "go/quote.h"
#include "helm/render/chart_source.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

/// Returns the place of the chart's name, or of its file alone.
base::SourcePos place_of_name(const std::string& path) {
  const std::string file = path + (path.ends_with('/') ? "Chart.yaml" : "/Chart.yaml");
  const auto source = helm::ChartSource::open(path);
  const auto text = source.ok() ? source->read("Chart.yaml") : source.error();
  const auto document = text.ok() ? yaml::parse_document(*text, file) : text.error();
  const yaml::DocumentNode* name = document.ok() ? document->find("name") : nullptr;
  return name == nullptr ? base::SourcePos{file, 1, 1} : name->pos;
}

}  // namespace

base::Result<kube::LabelValue> chart_label(const std::string& name, const std::string& path) {
  auto label = kube::LabelValue::parse(name);
  if (label.ok()) {
    return label;
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "the chart's name " + go::quote(name) +
                         " can be no label, by which the operator finds the chart's objects: " +
                         label.error().message())
      .at(place_of_name(path));
}

}  // namespace chartwright::bundle
