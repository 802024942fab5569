// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/path.h"
#include "value/value.h"

// JSON pointers (RFC 6901): "" is the whole value, "/a~1b/0" the first item of its member "a/b".
namespace chartwright::value {

/// Escapes a member's name for use in a pointer: "~" becomes "~0", and "/" becomes "~1".
std::string escape_pointer_token(std::string_view name);

/// Returns the name that a token of a pointer stands for, or nullopt if a "~" does not
/// start an escape.
std::optional<std::string> unescape_pointer_token(std::string_view token);

/// Returns the member of `root` at `pointer`, never nullptr. An index may have a sign and leading
/// zeros. Errors: kNotFound if there is no such member, kParse if a token on the way is malformed.
/// Source: santhosh-tekuri/jsonschema v6 util.go lookup.
base::Result<const Value*> at_pointer(const Value& root, std::string_view pointer);

/// Converts a well-formed pointer into `root` to steps. `root` determines which tokens are indices
/// and which are names; after the last member that exists, all are names.
std::vector<Path::Step> pointer_steps(const Value& root, std::string_view pointer);

}  // namespace chartwright::value
