// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "funcs/bind.h"

namespace chartwright::funcs {

enum class MergeMode : uint8_t {
  kFill,      ///< Only keys that are missing or empty in the destination are written.
  kOverwrite  ///< Every key of the source is written; dicts in both are merged.
};

/// Merges `source` into `destination`. Lists are replaced, never joined. Dicts that the destination
/// did not have are shared with the source, not copied. Error: kBudget.
/// Source: dario.cat/mergo v1.0.1 merge.go deepMerge, for maps.
base::Status merge_dicts(CallContext& ctx, value::Dict& destination, const value::Dict& source,
                         MergeMode mode);

}  // namespace chartwright::funcs
