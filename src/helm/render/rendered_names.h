// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "value/value.h"

namespace chartwright::helm {

/// The objects of one render, by the parts that identify them to an API server. Not thread-safe.
class RenderedNames {
 public:
  /// `release_namespace` is the namespace of objects that name none.
  explicit RenderedNames(std::string_view release_namespace)
      : release_namespace_(release_namespace) {}

  /// Adds an object that the template `path` renders. If another one has its group, kind, namespace
  /// and name, returns the fault: "ConfigMap/web: templates/a.yaml renders it, too". Objects
  /// without a kind or a name are not compared.
  std::optional<std::string> add(const value::Value& object, std::string_view path);

 private:
  using Identity = std::array<std::string, 4>;

  const std::string release_namespace_;
  std::map<Identity, std::string> path_by_identity_;
};

}  // namespace chartwright::helm
