// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm {

/// Which object or objects `lookup` asks for.
struct LookupKey {
  std::string_view api_version;
  std::string_view kind;
  std::string_view namespace_name;  ///< Empty: cluster-scoped, or all namespaces.
  std::string_view name;            ///< Empty for a list.
};

/// What the `lookup` function reads from. Used by one render at a time.
class ClusterReader {
 public:
  virtual ~ClusterReader() = default;
  /// The object as a dict. Error: kNotFound, which templates see as an empty map; others end the
  /// render.
  virtual base::Result<value::Value> get(const LookupKey& key) = 0;
  /// A list object: a dict with `items`. Errors as for get.
  virtual base::Result<value::Value> list(const LookupKey& key) = 0;
};

}  // namespace chartwright::helm
