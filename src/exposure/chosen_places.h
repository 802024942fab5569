// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "helm/analysis/abstract_value.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::exposure {

/// A place of a template where data decide which objects are reached.
struct ChosenPlace {
  enum class What : uint8_t {
    kNamespace,        ///< Written behind `namespace:`.
    kLookupNamespace,  ///< The namespace of a `lookup`.
    kLookupName,       ///< The name of the object of a `lookup`.
  };
  What what = What::kNamespace;
  std::string kind;     ///< The kind that a lookup reads; empty: not known.
  base::SourcePos pos;  ///< In "templates/x.yaml", "charts/sub/templates/y.yaml".
  /// The path of the value that decides; empty: it is not one of the chart.
  helm::analysis::Steps path;
  std::string action;  ///< The text of the action, up to its end.
};

/// Finds such places in the templates of a chart, of its dependencies and of operator/patches/,
/// through all branches, by static analysis. The results of functions are followed as far as
/// `written_kinds` follows them. Each once. Error: kParse for a template that does not parse.
base::Result<std::vector<ChosenPlace>> chosen_places(const helm::RenderableChart& chart);

}  // namespace chartwright::exposure
