// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "generate/rule.h"
#include "generate/view_rules.h"
#include "kinds/resource.h"

namespace chartwright::generate {

/// A finding about the rules: a line for standard error.
struct AccessNote {
  std::string place;  ///< "charts/x/templates/y.yaml:3:6" or the chart.
  std::string text;
  bool is_gap = false;  ///< The rules may lack something that values decide.
};

/// The rights that an operator needs.
struct Access {
  std::vector<Rule> rules;  ///< Ordered by purpose, group and resource.
  std::vector<AccessNote> notes;
  /// The kinds that the rules are about, with the resources that the rules name.
  kinds::DefinedKinds resources = {};
};

/// Finds the rights that the operator needs for any values of any custom resource, by static
/// analysis of the charts, and those that its views need. A right that an earlier purpose includes
/// is not repeated. Errors: those of helm::analysis::written_kinds.
base::Result<Access> access_of(const std::vector<bundle::Watch>& watches,
                               const ServedViews& served = {});

/// Returns the kinds of the watches and of the CRDs that the charts bring, in crds/ or in
/// templates, as far as these can be read.
kinds::DefinedKinds defined_kinds(const std::vector<bundle::Watch>& watches);

}  // namespace chartwright::generate
