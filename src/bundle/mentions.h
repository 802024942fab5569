// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/faults.h"
#include "bundle/template_names.h"
#include "helm/render/renderable_chart.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// A name in operator.yaml of something that is defined elsewhere: by the chart, by a schema, or by
/// Kubernetes.
struct Mention {
  enum class Of : uint8_t {
    kRule,      ///< The kind of a rule for children.
    kRelated,   ///< The kind of related objects, or of the child that selects them.
    kRequired,  ///< A key of the spec, in `crd.required`.
    kColumn,    ///< A path in the custom resource, of a column that kubectl prints.
  };
  Of of;
  std::string text;
  std::string api_version;  ///< The apiVersion of the kind; empty: any.
  base::SourcePos pos;
  std::string path;  ///< "children[0].match.kind"
};

/// Returns the names that the path of a column begins with, up to a part that is not only a name:
/// `status` and `conditions` of `.status.conditions[?(@.type=="Ready")].status`.
std::vector<std::string_view> path_names(std::string_view path);

/// Returns the mentions in operator.yaml, in its order.
std::vector<Mention> mentions_of(const yaml::DocumentNode& root);

/// Checks that the kinds exist: those of rules are rendered by the chart or built in, those of
/// related objects exist in their group if Kubernetes has the group. Adds a fault with the place,
/// and the name that may be meant, for each that does not.
void check_kinds(const std::vector<Mention>& mentions, const helm::RenderableChart& chart,
                 base::Faults& faults);

/// Checks that columns and required keys are those of a field. `known` are the names below .CR.
/// Adds a fault for each that is not.
void check_fields(const std::vector<Mention>& mentions, const KnownNames& known,
                  base::Faults& faults);

}  // namespace chartwright::bundle
