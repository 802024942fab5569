// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "helm/render/engine.h"
#include "helm/render/rendered_text.h"
#include "value/value.h"

namespace chartwright::helm {

/// The inputs of one render, as given in case files and golden folders.
struct HelmCase {
  explicit HelmCase(const Profile& helm = default_profile()) : profile(helm) {
    inputs.capabilities = Capabilities::offline(helm);
  }
  const Profile& profile;
  std::shared_ptr<const RenderableChart> loaded;
  RenderInputs inputs;
  std::vector<ValueLayer> layers;  ///< The sources of the values in `inputs`.
  PrintOptions print;
  base::BudgetLimits limits;
};

/// Applies flags ("--set a=b" or a bare release name, one per line) to a case. Errors: as Helm for
/// --set and --kube-version; kInvalidArgument for a flag that cases do not support.
base::Status apply_flags(const std::string& lines, HelmCase& to);

/// Returns the output of `helm template` for the case.
base::Result<std::string> print_case(const HelmCase& c);

/// Renders one template file of the case.
base::Result<std::string> render_case_file(const HelmCase& c, const std::string& path);

/// Reads a file of the repository. Aborts the test if it cannot be read.
std::string read_test_file(const std::string& path);

}  // namespace chartwright::helm
