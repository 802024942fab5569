// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/operator_template.h"

namespace chartwright::bundle {

/// A file of operator/patches/.
struct PatchFile {
  const helm::OperatorTemplate& text;
  std::string file;  ///< The name of the file in errors.
};

/// Checks that each partial object of the patches says what it changes, by apiVersion, kind and
/// metadata.name, and that no two of them certainly have one target: the fields of the first would
/// be given up again by the second. Text that a helper writes is not known and passes. Error:
/// kInvalidArgument with file:line:column, and what would be right.
base::Status check_patch_targets(const std::vector<PatchFile>& patches);

/// Checks that a document that a patch rendered is one object: of two that nothing separates, the
/// first would be lost. Error: kInvalidArgument.
base::Status check_one_object(const std::string& document);

}  // namespace chartwright::bundle
