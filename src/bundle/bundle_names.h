// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/schema_place.h"
#include "bundle/template_names.h"

namespace chartwright::bundle {

/// The schemas of what templates read.
struct DataSchemas {
  std::optional<SchemaPlace> spec;
  std::optional<SchemaPlace> status;
  std::optional<SchemaPlace> values;
  UsualKeys usual_spec = {};
  UsualKeys usual_values = {};
};

/// Everything that decides which names the templates of a bundle may use.
struct BundleNames {
  std::vector<std::string> related;    ///< The names of its entries.
  std::vector<std::string> externals;  ///< Their names.
  DataSchemas schemas;

  /// Returns the names that status.yaml and the patches may use: .CR, .Live, .Related, .External
  /// and those of a chart's templates.
  KnownNames in_folder() const;
  /// Returns the names that values.yaml may use: .CR without its status, and .External.
  KnownNames in_values() const;
  /// Returns the names that the texts of `related` may use: .CR and .External.
  KnownNames in_related() const;
  /// Returns the names that `present` and `ready` may use: .CR, .Object and
  /// .External.
  KnownNames in_predicates() const;
  /// Returns the names that the text at `path` in a file of externals/, such as "create.capture",
  /// may use: those of a chart's templates, .CR and .External, and those that only texts at this
  /// path have, such as .item.
  KnownNames in_external(std::string_view path) const;
};

}  // namespace chartwright::bundle
