// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/object.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::release {

/// Finds an object in a rendered document, which may be a list.
class DocumentSearch {
 public:
  using Steps = std::vector<value::Path::Step>;

  /// `slot` has the rendered name of the object; objects without a namespace are in that of the
  /// release.
  DocumentSearch(kube::ObjectRef slot, std::string release_namespace)
      : slot_(std::move(slot)), release_namespace_(std::move(release_namespace)) {}

  /// Returns the steps to the object; nullopt if the document does not have it.
  std::optional<Steps> in(const value::Value& document) const;

 private:
  std::optional<Steps> in(const value::Value& node, const value::Value* list, int depth) const;
  bool is_it(const value::Value& object, const value::Value* list) const;

  kube::ObjectRef slot_;
  std::string release_namespace_;
};

}  // namespace chartwright::release
