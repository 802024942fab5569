// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// The type of the values of a --set style line.
enum class SetMode : uint8_t {
  kTyped,   ///< --set: true, false, null and whole numbers are typed, all else is a string.
  kString,  ///< --set-string: every value is a string.
};

/// Converts the text after '=' to a value. For --set-file it reads a file.
using ValueReader = std::function<base::Result<value::Value>(std::string_view)>;

/// Parses "a.b[0].c=v,d={1,2}" into `dest`, a dict, which keeps the values set before an error.
/// Limits as in Helm: list index 65536, 30 levels of names. Error: kParse with Helm's message. An
/// unclosed index is an error, except with kAllDocuments, where it ends the line.
/// Source: helm/helm v3 pkg/strvals/parser.go.
base::Status parse_set(std::string_view line, SetMode mode, value::Value& dest,
                       ValuesRule rule = ValuesRule::kFirstDocument);
/// Parses the same grammar, with each value converted by `reader`. Errors: also those of `reader`.
base::Status parse_set_with(std::string_view line, const ValueReader& reader, value::Value& dest,
                            ValuesRule rule = ValuesRule::kFirstDocument);
/// Parses the same grammar with JSON values; an empty value is null. With kAllDocuments the line
/// may also be one whole JSON object.
/// Source: helm/helm v4 pkg/cli/values/options.go.
base::Status parse_set_json(std::string_view line, value::Value& dest,
                            ValuesRule rule = ValuesRule::kFirstDocument);
/// Parses "a.b[0]=v": a single value, taken literally up to the end of the line.
/// Source: pkg/strvals/literal_parser.go.
base::Status parse_set_literal(std::string_view line, value::Value& dest,
                               ValuesRule rule = ValuesRule::kFirstDocument);

}  // namespace chartwright::helm
