// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The contents of src/helm/objects/*.txt, compiled in. The header of each file describes its lines.
namespace chartwright::helm {

/// The kinds that Kubernetes has deprecated.
extern const std::string_view kDeprecatedApisTable;
/// The fields of the built-in kinds of Kubernetes.
extern const std::string_view kKubernetesFieldsTable;

}  // namespace chartwright::helm
