// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "helm/schema/schema.h"
#include "helm/values/value_origins.h"
#include "tmpl/failure.h"
#include "value/path.h"
#include "value/value.h"

// The help printed below Helm's error message: source lines, the chain of includes, and where the
// values come from. It names places, keys and kinds and shows lines of templates, but never a
// value.
namespace chartwright::helm {

/// Returns the path, from the root chart's values, of what a statement reads; nullopt if it is not
/// one of the values of `scope`, the dot of the root chart.
std::optional<std::vector<value::Path::Step>> path_among_values(const tmpl::Operand& operand,
                                                                const value::Value& scope);

/// The inputs for the help about one error.
struct Evidence {
  /// Returns the text of a template file; nullptr if it cannot be shown.
  std::function<const std::string*(std::string_view file)> source;
  value::Value scope;           ///< Dot of the root chart, with the Values that `origins` covers.
  const ValueOrigins& origins;  ///< Where those values come from.
};

/// Returns the help for a failed execution: the failing line with a caret, notes about the values
/// that it reads, suggestions, and the calls that led there. "" if nothing is known.
std::string diagnose(const tmpl::Failure& failure, const Evidence& evidence);

/// Returns the help for values that do not match a schema: where each is set, and which name was
/// probably meant. Paths start at the root chart's values. "" if nothing is known.
std::string note_faulty(const std::vector<FaultyMember>& members, const ValueOrigins& origins);

/// Returns "FILE:LINE:COLUMN" and below it that line of the source with a caret, or only the former
/// if the line does not exist or is empty. Long lines are cut around the column, and control
/// characters become U+FFFD.
std::string snippet(const base::SourcePos& pos, std::string_view source);

}  // namespace chartwright::helm
