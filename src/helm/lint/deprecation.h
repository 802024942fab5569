// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helm/render/capabilities.h"

namespace chartwright::helm::lint {

/// The warning about a kind that Kubernetes `version` has deprecated; nullopt when it has not, or
/// does not know the kind. Source: k8s.io/apiserver pkg/endpoints/deprecation/deprecation.go.
std::optional<std::string> deprecation_of(std::string_view api_version, std::string_view kind,
                                          const helm::KubeVersion& version);

}  // namespace chartwright::helm::lint
