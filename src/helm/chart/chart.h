// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helm/chart/files.h"
#include "helm/chart/metadata.h"
#include "value/value.h"

namespace chartwright::helm {

/// Lines for people about what was noticed and passed over, in Helm's words.
using Warnings = std::vector<std::string>;

/// What rendering never changes of a chart; shared by every copy of it.
struct ChartContent {
  std::vector<File> templates;        ///< Below templates/, in the order they were read.
  std::vector<File> files;            ///< All that .Files shows.
  std::optional<std::string> schema;  ///< values.schema.json.
  std::string values_text;            ///< values.yaml, for errors that say where a value is set.
  value::Value files_value;           ///< `.Files`, built once.
};

/// A loaded chart. Cheap to copy: dependency processing works on a copy per render. The dict of
/// `values` is shared between copies and is never written.
struct Chart {
  Metadata metadata;
  value::Value values;  ///< values.yaml: a dict, empty when there is none.
  std::shared_ptr<const ChartContent> content;
  std::vector<Chart> dependencies;
  /// "chart/charts/sub", once dependencies are processed; empty before. It is not always made of
  /// the names above: a chart that copies share is below the one that claimed it.
  std::string path;

  const std::string& name() const { return metadata.name; }
};

/// A file below crds/ that holds manifests.
struct Crd {
  std::string path;  ///< With the chart's full path: "chart/charts/sub/crds/x.yaml".
  std::string content;
};

/// CRD files of a chart, whose dependencies are processed, and then of these.
/// Source: helm/helm v3 pkg/chart/chart.go CRDObjects.
std::vector<Crd> crds_of(const Chart& chart);

}  // namespace chartwright::helm
