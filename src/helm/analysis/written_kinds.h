// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::helm::analysis {

/// apiVersion and kind of an object.
using KindName = std::pair<std::string, std::string>;

/// One kind of object that templates may write.
struct WrittenKind {
  std::set<std::string> files;  ///< "templates/x.yaml", "charts/sub/templates/y.yaml".
  bool only_hooks = true;       ///< All its objects have the annotation helm.sh/hook.
  bool only_tests = true;       ///< All its objects are hooks of the event "test" alone.
  /// The kinds of the roleRef of a binding; "" for one that is not known.
  std::set<std::string> role_kinds = {};
};

/// A place where the kind of an object, or a whole object, depends on the values.
struct ComputedKind {
  std::string place;  ///< "templates/x.yaml:3:6", columns from 0 as in errors of templates.
  std::string text;   ///< The computed part, and the kinds that are known nevertheless.
};

/// The kinds of objects that templates may write, for any values.
struct WrittenKinds {
  std::map<KindName, WrittenKind> kinds;
  /// The kinds of the partial objects in operator/patches/.
  std::map<KindName, WrittenKind> patches;
  /// The kinds that the templates look up; the value is true if a list may be asked for.
  std::map<KindName, bool> lookups;
  std::vector<ComputedKind> computed;  ///< Each place once, in order.
  /// False if the templates are too large to be followed: there may be other kinds.
  bool complete = true;
};

/// Returns the templates of operator/patches/, with names from the chart's folder.
std::vector<helm::File> patches_of(const helm::RenderableChart& chart);

/// Finds the kinds that the templates of a chart, of its dependencies (enabled or not) and of
/// operator/patches/ may write, through all branches and without values, by static analysis.
/// Hooks are included, crds/ is not. Error: kParse for a template that does not parse.
base::Result<WrittenKinds> written_kinds(const helm::RenderableChart& chart);

}  // namespace chartwright::helm::analysis
