// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chartwright::helm {

/// Returns why an object of a kind cannot have a name, in Kubernetes' words; nullopt if it can.
/// Source: helm/helm v3 pkg/lint/rules/template.go validateMetadataName, k8s.io/apimachinery
/// pkg/util/validation.
std::optional<std::string> object_name_fault(std::string_view kind, const std::string& name);

}  // namespace chartwright::helm
