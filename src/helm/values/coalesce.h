// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// What a null does where values meet.
enum class Nulls : uint8_t {
  kDelete,  ///< A null over a default removes the key (Helm's "coalesce").
  kKeep,    ///< A null is a value (Helm's "merge").
};

/// How values are laid over each other in one version of Helm.
struct CoalesceRules {
  Nulls nulls;
  const Profile& profile;
};

/// Values of `chart` and its dependencies under the user's `values`, globals pushed down. Neither
/// argument is changed; the result is a dict of type Values. Error: kInvalidArgument "type
/// mismatch on SUB: ...". Source: helm/helm v3.22 pkg/chartutil/coalesce.go.
base::Result<value::Value> coalesce_values(const Chart& chart, const value::Value& values,
                                           CoalesceRules rules, Warnings& warnings);

/// Adds to `dst` what it lacks of `src`, recursively; both are dicts and `src` is used up.
void merge_tables(value::Value& dst, value::Value src, CoalesceRules rules, Warnings& warnings);

/// The dict at a dotted path; nullptr when there is none. Source: pkg/chartutil/values.go Table.
const value::Value* table_at(const value::Value& values, std::string_view path);
/// The value at a dotted path that is no dict; nullptr when there is none.
/// Source: pkg/chartutil/values.go PathValue.
const value::Value* scalar_at(const value::Value& values, std::string_view path);

}  // namespace chartwright::helm
