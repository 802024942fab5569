// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// A column that kubectl prints for custom resources.
struct PrinterColumn {
  std::string name;
  std::string type;
  std::string json_path;
  int64_t priority = 0;
};

/// The key `crd` of operator/operator.yaml: the parts of the generated CRD that no schema holds.
struct CrdOptions {
  std::string plural;  ///< Empty: derived from the kind.
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  kube::Scope scope = kube::Scope::kNamespaced;
  std::vector<PrinterColumn> columns;
  std::vector<std::string> required;  ///< Fields of the spec that have no default for users.
  std::vector<std::string> omit;      ///< Values that the spec does not have.
};

/// Reads the key. Errors: kParse and kInvalidArgument with the position.
base::Result<CrdOptions> read_crd_options(const yaml::DocumentNode& node);

}  // namespace chartwright::bundle
