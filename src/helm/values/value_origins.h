// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "helm/chart/chart.h"
#include "helm/version/profile.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::helm {

/// A source of user-set values.
struct ValueLayer {
  std::string name;     ///< Name to display: "prod.yaml", "--set".
  value::Value values;  ///< The values set, nulls included.
  std::string text;     ///< The YAML they were read from; empty if they were not.
  /// Path of the values in an object, if they are part of one. Values are then displayed by their
  /// path ("spec.image.tag").
  std::string path_prefix;
};

/// Returns the layers of one render; later layers override earlier ones. Called only after a render
/// has failed, so that a successful render does not pay for it.
using ValueLayers = std::function<std::vector<ValueLayer>()>;

/// Finds where the values of a failed render come from: values.yaml of the chart or of a subchart,
/// the section of a parent chart, or the user. Its answers contain only places and kinds, never a
/// value itself.
class ValueOrigins {
 public:
  using Steps = std::span<const value::Path::Step>;

  /// Knows no layers and finds no origins.
  ValueOrigins() = default;
  /// `chart` must have only the dependencies that are enabled. `user` may be empty.
  ValueOrigins(const Chart& chart, ValuesRule rule, const ValueLayers& user);

  struct Origin {
    std::string place;     ///< "prod.yaml:3:5", "--set", "spec.image.tag"
    value::Kind kind;      ///< The kind of the value set there.
    bool is_file = false;  ///< Whether the place is in a file.

    /// Returns "set at prod.yaml:3:5" or "set by --set".
    std::string text() const { return (is_file ? "set at " : "set by ") + place; }
  };
  /// Returns the origins of the member at a path from the root chart's values, the one that wins
  /// first.
  std::vector<Origin> of(Steps path) const;

  struct Hidden {
    Origin origin;
    std::string path;  ///< The path of the member itself or of one that contains it.
  };
  /// Returns the origin that removes a member that weaker layers may set: a null, or a value on its
  /// path that is not a map. nullopt if no layer removes it.
  std::optional<Hidden> hidden(Steps path) const;

 private:
  struct Layer {
    ValueLayer layer;
    std::vector<value::Path::Step> at;  // Path of its values in those of the root chart.
  };
  struct Member {
    const value::Value* value;
    Steps path;  // Path in the layer.
  };
  void add_charts(const Chart& chart, std::vector<value::Path::Step> at);
  std::vector<Member> members(const Layer& layer, Steps path) const;
  Origin origin(const Layer& layer, const Member& member) const;

  ValuesRule rule_ = ValuesRule::kFirstDocument;
  std::vector<Layer> layers_;  // The weakest first.
};

}  // namespace chartwright::helm
