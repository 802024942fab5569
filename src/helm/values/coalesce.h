// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// The effect of a null when values are merged.
enum class Nulls : uint8_t {
  kDelete,  ///< A null over a default removes the key (Helm's "coalesce").
  kKeep,    ///< A null is a value like any other (Helm's "merge").
};

/// The rules for merging values in one version of Helm.
struct CoalesceRules {
  Nulls nulls;
  const Profile& profile;
};

/// Merges the user's `values` over those of `chart` and its dependencies, and copies globals into
/// subcharts. Changes neither argument; the result is a dict of type Values. Error:
/// kInvalidArgument "type mismatch on SUB: ...".
/// Source: helm/helm v3.22 pkg/chartutil/coalesce.go.
base::Result<value::Value> coalesce_values(const Chart& chart, const value::Value& values,
                                           CoalesceRules rules, Warnings& warnings);

/// Adds the members of `src` that `dst` lacks, recursively. Both must be dicts; `src` is consumed.
void merge_tables(value::Value& dst, value::Value src, CoalesceRules rules, Warnings& warnings);

/// Returns the dict at a dotted path, or nullptr. Source: pkg/chartutil/values.go Table.
const value::Value* table_at(const value::Value& values, std::string_view path);
/// Returns the value at a dotted path; nullptr if it is missing or a dict.
/// Source: pkg/chartutil/values.go PathValue.
const value::Value* scalar_at(const value::Value& values, std::string_view path);

}  // namespace chartwright::helm
