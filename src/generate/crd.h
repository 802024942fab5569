// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "generate/structural.h"
#include "helm/analysis/read_keys.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// The part of a status that the operator itself writes (bundle::engine_status_fields), as
/// properties of a structural schema.
extern const std::string_view kEngineStatusSchema;

/// A generated CRD.
struct GeneratedCrd {
  std::string name;  ///< "bookstores.blog.velotio.com"
  std::string text;
  std::vector<SchemaNote> notes;
};

/// Returns the CRD of a watch: the spec from the chart's values.schema.json or, without one, from
/// values.yaml and its use in the templates; where operator/values.yaml maps the spec to values,
/// from operator/spec.schema.json or the keys that it reads; the status from
/// operator/status.schema.json. Errors: those of structural_schema.
base::Result<GeneratedCrd> crd_of(const bundle::Watch& watch);

/// Returns the schema of the custom resources that a generated CRD has. Errors: those of
/// yaml::parse_document, for one that is too large or nested too deeply.
base::Result<yaml::DocumentNode> schema_of(const GeneratedCrd& crd);

/// Returns the schema of a spec that is inferred from values.yaml: the types of its defaults, and
/// the keys that templates read.
Yaml inferred_schema(const helm::RenderableChart& chart);

/// Returns the schema of a spec of which only certain keys are read, with any values.
Yaml schema_of_keys(const helm::analysis::ReadKeys& keys);

}  // namespace chartwright::generate
