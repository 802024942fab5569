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

/// The inputs of one render as case files and golden folders state them.
struct HelmCase {
  explicit HelmCase(const Profile& helm = default_profile()) : profile(helm) {
    inputs.capabilities = Capabilities::offline(helm);
  }
  const Profile& profile;
  std::shared_ptr<const RenderableChart> bundle;
  RenderInputs inputs;
  std::vector<ValueLayer> layers;  ///< What the values of `inputs` were made of.
  PrintOptions print;
  base::BudgetLimits limits;
};

/// Applies flags ("--set a=b" or a bare release name, one per line) to a case. Errors: as Helm's
/// for
/// --set and --kube-version; kInvalidArgument for a flag that cases do not know.
base::Status apply_flags(const std::string& lines, HelmCase& to);

/// What `helm template` prints for the case.
base::Result<std::string> print_case(const HelmCase& c);

/// What one template file of the case renders to.
base::Result<std::string> render_case_file(const HelmCase& c, const std::string& path);

/// A whole file of the repository. Aborts the test when it cannot be read.
std::string read_test_file(const std::string& path);

}  // namespace chartwright::helm
