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

/// One of the sources of the values that a user sets.
struct ValueLayer {
  std::string name;     ///< For people: "prod.yaml", "--set".
  value::Value values;  ///< What it sets, nulls included.
  std::string text;     ///< The YAML it was read from; empty where there is none.
  /// Where the values stand in an object; they are then named by their path ("spec.image.tag").
  std::string path_prefix;
};

/// The layers of one render, a later one over the earlier ones. Asked only when a render has
/// failed, so that a render that succeeds pays nothing for it.
using ValueLayers = std::function<std::vector<ValueLayer>()>;

/// Answers where the values of a failed render come from: values.yaml of the chart or a subchart,
/// the section of a parent chart, what the user gave. Holds places and kinds only, never a value's
/// text.
class ValueOrigins {
 public:
  using Steps = std::span<const value::Path::Step>;

  /// Knows nothing.
  ValueOrigins() = default;
  /// `chart` has its dependencies as they take part. `user` may be empty.
  ValueOrigins(const Chart& chart, ValuesRule rule, const ValueLayers& user);

  struct Origin {
    std::string place;     ///< "prod.yaml:3:5", "--set", "spec.image.tag"
    value::Kind kind;      ///< Of what it sets there.
    bool is_file = false;  ///< The place is one in a file.

    /// "set at prod.yaml:3:5", "set by --set".
    std::string text() const { return (is_file ? "set at " : "set by ") + place; }
  };
  /// What sets the member at a path from the root chart's values, the strongest first.
  std::vector<Origin> of(Steps path) const;

  struct Hidden {
    Origin origin;
    std::string path;  ///< The member itself, or one above it.
  };
  /// What takes away a member that weaker layers may set: a null, or something that is no map where
  /// the way to it leads. nullopt when nothing does.
  std::optional<Hidden> hidden(Steps path) const;

 private:
  struct Layer {
    ValueLayer layer;
    std::vector<value::Path::Step> at;  // Where its values stand in those of the root chart.
  };
  struct Member {
    const value::Value* value;
    Steps path;  // In the layer.
  };
  void add_charts(const Chart& chart, std::vector<value::Path::Step> at);
  std::vector<Member> members(const Layer& layer, Steps path) const;
  Origin origin(const Layer& layer, const Member& member) const;

  ValuesRule rule_ = ValuesRule::kFirstDocument;
  std::vector<Layer> layers_;  // The weakest first.
};

}  // namespace chartwright::helm
