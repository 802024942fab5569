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

/// Messages about problems that do not stop processing, as Helm logs them.
using Warnings = std::vector<std::string>;

/// The part of a chart that rendering never changes; shared by all copies of the chart.
struct ChartContent {
  std::vector<File> templates;        ///< Files below templates/, in the order they were read.
  std::vector<File> files;            ///< The files visible through .Files.
  std::optional<std::string> schema;  ///< values.schema.json.
  std::string values_text;            ///< values.yaml, for errors that tell where a value is set.
  value::Value files_value;           ///< `.Files`, built once.
  value::Value lock;                  ///< Chart.lock as release records have it; nil: none.
};

/// A loaded chart. Cheap to copy: each render processes dependencies on its own copy. The dict of
/// `values` is shared between copies and never modified.
struct Chart {
  Metadata metadata;
  value::Value values;  ///< The decoded values.yaml: a dict, empty if the file is missing.
  std::shared_ptr<const ChartContent> content;
  std::vector<Chart> dependencies;
  /// Full path such as "chart/charts/sub"; empty until dependencies are processed. It does not
  /// always consist of the names of the enclosing charts: a chart shared by several copies has the
  /// path of the copy that claimed it last.
  std::string path;

  const std::string& name() const { return metadata.name; }
};

/// A file below crds/ that contains manifests.
struct Crd {
  std::string path;  ///< The full path: "chart/charts/sub/crds/x.yaml".
  std::string content;
};

/// Returns the CRD files of a chart, followed by those of its dependencies. Their paths are full
/// paths only if the dependencies have been processed.
/// Source: helm/helm v3 pkg/chart/chart.go CRDObjects.
std::vector<Crd> crds_of(const Chart& chart);

}  // namespace chartwright::helm
