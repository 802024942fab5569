// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::kinds {

/// Returns the plural that Kubernetes guesses for a kind: "networkpolicies", "ingresses".
/// Source: k8s.io/apimachinery pkg/api/meta UnsafeGuessKindToResource.
std::string plural_of(std::string_view kind);

/// Returns the plural that operator-sdk, kubebuilder and controller-gen give a kind: "indices",
/// "gateways", "redis". They call flect for it. Where the answer of flect cannot be a name, such as
/// "dnsDNSes", operator-sdk refuses the kind, and this returns another plural.
/// Source: kubernetes-sigs/kubebuilder pkg/model/resource/utils.go RegularPlural, gobuffalo/flect
/// 1.0.3.
std::string own_plural_of(std::string_view kind);

}  // namespace chartwright::kinds
