// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// A field of a schema, for a table. Every member but `path` is Markdown.
struct Field {
  std::string path;   ///< "bookDB.dbSize", "claims[].name", "labels.*"; plain text.
  std::string type;   ///< "list of strings"
  std::string usual;  ///< The default; empty: there is none.
  std::string rules;  ///< "required, ≥ 1".
  std::string description;
};

/// The fields of a schema, parents before their members.
struct Fields {
  std::vector<Field> all;
  bool complete = true;  ///< False: there are more, or they are nested more deeply.
};

/// Lists the fields below `schema`, a structural schema of a CRD. `defaults` has the values of
/// fields that users leave out, of which credentials are not shown; nil: there are none.
Fields fields_of(const yaml::DocumentNode& schema, const value::Value& defaults);

}  // namespace chartwright::generate
