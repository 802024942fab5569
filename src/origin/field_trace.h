// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/traced_render.h"
#include "kube/object.h"
#include "release/document_search.h"
#include "resource/field_path.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::origin {

/// The origin of a field in the templates.
struct TemplateLine {
  /// The line with the name of the field, then those of partials that write its value:
  /// "shop/templates/web.yaml:17".
  std::vector<std::string> places;
  std::vector<helm::ReadOperand> reads;
};

/// Renders the chart again, and returns the lines that write a field of an object; nullopt if no
/// template writes it. Errors: those of trace_documents.
base::Result<std::optional<TemplateLine>> trace_field(const helm::RenderRequest& request,
                                                      const release::DocumentSearch& search,
                                                      const op::FieldPath& field);

/// A field of a rendered object that a value is written to.
struct Use {
  kube::ObjectRef object;
  std::string field;
  value::Value value;
  std::string place;  ///< "shop/templates/web.yaml:17"
};

struct Uses {
  std::vector<Use> found;
  bool is_complete = true;  ///< False if there are too many fields to look at.
};

/// Renders the chart again, and returns the fields whose lines read a value, or one in it. Errors:
/// those of trace_documents.
base::Result<Uses> trace_value(const helm::RenderRequest& request,
                               const std::vector<value::Path::Step>& value);

}  // namespace chartwright::origin
