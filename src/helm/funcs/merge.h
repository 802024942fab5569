// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/funcs/bind.h"

namespace chartwright::helm::funcs {

enum class MergeMode : uint8_t {
  kFill,      ///< Writes only keys that are missing or empty in the destination.
  kOverwrite  ///< Writes every key of the source; a dict present in both is merged.
};

/// Inserts or replaces a member of a dict that may be shared. Every function that writes into an
/// argument must use it.
void write_member(CallContext& ctx, const Value& dict, std::string_view key, const Value& member);

/// Merges `source` into `destination`; both must be dicts. Lists are replaced, never concatenated.
/// Dicts missing from the destination are shared with the source, not copied. Error: kBudget.
/// Source: dario.cat/mergo v1.0.1 merge.go deepMerge, for maps.
base::Status merge_dicts(CallContext& ctx, const Value& destination, const Value& source,
                         MergeMode mode);

}  // namespace chartwright::helm::funcs
