// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// What a value of a --set style line becomes.
enum class SetMode : uint8_t {
  kTyped,   ///< --set: true, false, null and whole numbers are typed, all else is text.
  kString,  ///< --set-string
};

/// Turns the text after '=' into a value (--set-file reads a file).
using ValueReader = std::function<base::Result<value::Value>(std::string_view)>;

/// Parses "a.b[0].c=v,d={1,2}" into `dest` (a dict), which keeps what was set before an error.
/// Limits as in Helm: list index 65536, 30 levels of names. Error: kParse with Helm's text. An
/// index that is not closed is one, or with kAllDocuments the end of the line.
/// Source: helm/helm v3 pkg/strvals/parser.go.
base::Status parse_set(std::string_view line, SetMode mode, value::Value& dest,
                       ValuesRule rule = ValuesRule::kFirstDocument);
/// The same grammar with each value turned by `reader`. Errors: also what the reader returns.
base::Status parse_set_with(std::string_view line, const ValueReader& reader, value::Value& dest,
                            ValuesRule rule = ValuesRule::kFirstDocument);
/// Values are JSON; an empty one is null. With kAllDocuments the line may be a whole object.
/// Source: helm/helm v4 pkg/cli/values/options.go.
base::Status parse_set_json(std::string_view line, value::Value& dest,
                            ValuesRule rule = ValuesRule::kFirstDocument);
/// "a.b[0]=v": one value, taken as it is to the end. Source: pkg/strvals/literal_parser.go.
base::Status parse_set_literal(std::string_view line, value::Value& dest,
                               ValuesRule rule = ValuesRule::kFirstDocument);

}  // namespace chartwright::helm
