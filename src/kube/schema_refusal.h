// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace chartwright::kube {

// The reasons of causes that schema_causes() returns.

/// The schema lacks the field at the path.
inline constexpr std::string_view kUndeclaredField = "UndeclaredField";
/// Items of the list at the path have the same key, which is the cause's message: `[name="A"]`.
inline constexpr std::string_view kDuplicateKey = "DuplicateKey";
/// Any other fault of the value at the path.
inline constexpr std::string_view kUnfitValue = "UnfitValue";

/// Returns the causes for which the API server could not read a body of server-side apply by the
/// schema of its kind; empty if `message` is no such refusal. A field is a path of
/// structured-merge-diff: `.spec.containers[name="a"].env`. A message of kUnfitValue may quote the
/// body. Sources: sigs.k8s.io/structured-merge-diff typed/validate.go, typed/helpers.go.
std::vector<base::ErrorCause> schema_causes(std::string_view message);

}  // namespace chartwright::kube
