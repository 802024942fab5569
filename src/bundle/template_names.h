// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/schema_place.h"
#include "helm/analysis/read_keys.h"
#include "helm/render/operator_template.h"

namespace chartwright::bundle {

/// The keys of values, where others may be, too.
struct UsualKeys {
  const helm::analysis::Keys* defined = nullptr;  ///< Keys that values.yaml and the schemas define.
  const helm::analysis::KeyUsage* read = nullptr;  ///< Keys that the templates of the chart read.
};

/// The names that may stand below a name in a template: those listed, and the members of a schema.
/// Where neither has any, or the schema has others, any may.
struct KnownNames {
  std::map<std::string, KnownNames, std::less<>> below;
  std::optional<SchemaPlace> schema;
  UsualKeys usual;
};

/// A name that does not exist, or hardly: then another name is almost the same.
struct UnknownName {
  size_t index;  ///< In the path.
  bool is_certain;
  std::string text;  ///< "there is no .CR.sepc, did you mean .CR.spec?"
};

/// Looks for the first name of a path that does not exist below `known`; nullopt: all may.
std::optional<UnknownName> unknown_name(const KnownNames& known,
                                        std::span<const std::string_view> path);

/// Returns the keys of the spec that operator/values.yaml reads as `.CR.spec.KEY`. Not complete
/// where it reads the spec in another way. Error: kParse if it does not parse.
base::Result<helm::analysis::ReadKeys> keys_of_spec(const helm::OperatorTemplate& values);

/// Where the text of a template stands.
struct TextPlace {
  base::SourcePos pos;      ///< The file without a line, or the place where the text begins in it.
  std::string member = {};  ///< "children[0].present"; empty: the text is the whole file.
};

/// Checks the names that a template reads from its outermost dot. In the body of `with` and
/// `range`, where the dot is another, only those after `$` are checked. Checks the names of the
/// templates that it calls, too. Error: kInvalidArgument with file:line:column, and the name that
/// may be meant. Names that hardly exist, such as one that is almost that of a value, are added to
/// `doubts`; nullptr: they are not looked for.
base::Status check_names(const helm::OperatorTemplate& text, const TextPlace& place,
                         const KnownNames& known, std::vector<base::Error>* doubts = nullptr);
/// Like the overload above, for a template that calls none by name.
base::Status check_names(const tmpl::Tree& tree, const TextPlace& place, const KnownNames& known);

}  // namespace chartwright::bundle
