// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::suite {

struct PathStep;

/// A path of an assertion: `a.b[0].c`, `["k.ey"]`, `[*]`, `..name`, `[?(@.name == "x")]`. It
/// selects any number of values. Immutable and thread-safe. Source: vmware-labs/yaml-jsonpath, the
/// fork of helm-unittest.
class JsonPath {
 public:
  /// Error: kParse, with the position in the path. Limit: 8 KiB.
  static base::Result<JsonPath> compile(std::string_view text);

  /// Returns the values at this path. An empty path selects the document itself. Error: kBudget if
  /// they are more than a million.
  base::Result<std::vector<value::Value>> find(const value::Value& document) const;
  /// Returns where these values are, in the same order. Error: kBudget if they are more than
  /// 10,000: each place takes as much memory as it has steps.
  base::Result<std::vector<value::Path>> places(const value::Value& document) const;

  /// The place where a path of names and single indices, which selects nothing, ends.
  struct DeadEnd {
    value::Path reached;  ///< The longest beginning that the document has.
    std::string missing;  ///< The name that `reached` has no member of.
    std::string nearest;  ///< The member that was probably meant; empty: none is near.
  };
  /// Returns nullopt for other paths.
  std::optional<DeadEnd> dead_end(const value::Value& document) const;

 private:
  explicit JsonPath(std::vector<PathStep> steps);
  std::shared_ptr<const std::vector<PathStep>> steps_;
};

}  // namespace chartwright::suite
