// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helm/render/capabilities.h"

namespace chartwright::helm {

/// Returns the warning about a kind that is deprecated in a version of Kubernetes; nullopt if the
/// kind is not deprecated or unknown.
/// Source: k8s.io/apiserver pkg/endpoints/deprecation/deprecation.go.
std::optional<std::string> deprecation_of(std::string_view api_version, std::string_view kind,
                                          const helm::KubeVersion& version);

}  // namespace chartwright::helm
