// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Texts of src/helm/lint/*.txt, compiled in. The head of each says what its lines mean.
namespace chartwright::helm::lint {

/// Kinds that Kubernetes has deprecated.
extern const std::string_view deprecated_apis_table;
/// The fields of the kinds that Kubernetes has built in.
extern const std::string_view kubernetes_fields_table;

}  // namespace chartwright::helm::lint
