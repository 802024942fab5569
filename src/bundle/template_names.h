// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/schema_place.h"
#include "helm/lint/read_keys.h"
#include "helm/render/operator_template.h"

namespace chartwright::bundle {

/// The names that may stand below a name in a template: those listed, and the members of a schema.
/// Where neither has any, or the schema has others, any may.
struct KnownNames {
  std::map<std::string, KnownNames, std::less<>> below;
  std::optional<SchemaPlace> schema;
};

/// Returns the keys of the spec that operator/values.yaml reads as `.CR.spec.KEY`. Not complete
/// where it reads the spec in another way. Error: kParse if it does not parse.
base::Result<helm::lint::ReadKeys> keys_of_spec(const helm::OperatorTemplate& values);

/// Where the text of a template stands.
struct TextPlace {
  base::SourcePos pos;      ///< Of the file, without a line; or where the text begins in it.
  std::string member = {};  ///< "children[0].present"; empty: the text is the whole file.
};

/// Checks the names that a template reads from its outermost dot. In the body of `with` and
/// `range`, where the dot is another, only those after `$` are checked. Checks the names of the
/// templates that it calls, too. Error: kInvalidArgument with file:line:column, and the name that
/// may be meant.
base::Status check_names(const helm::OperatorTemplate& text, const TextPlace& place,
                         const KnownNames& known);
/// Like the overload above, for a template that calls none by name.
base::Status check_names(const tmpl::Tree& tree, const TextPlace& place, const KnownNames& known);

}  // namespace chartwright::bundle
