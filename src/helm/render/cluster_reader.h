// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm {

/// The object or list of objects that `lookup` requests.
struct LookupKey {
  std::string_view api_version;
  std::string_view kind;
  std::string_view namespace_name;  ///< Empty for cluster-scoped objects or all namespaces.
  std::string_view name;            ///< Empty for a list.
};

/// The source of objects for the `lookup` function. Used by one render at a time.
class ClusterReader {
 public:
  virtual ~ClusterReader() = default;
  /// Returns the object as a dict. Errors: kNotFound, which templates see as an empty map; any
  /// other error ends the render.
  virtual base::Result<value::Value> get(const LookupKey& key) = 0;
  /// Returns a list object: a dict with `items`. Errors: as get.
  virtual base::Result<value::Value> list(const LookupKey& key) = 0;
};

}  // namespace chartwright::helm
