// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/path.h"
#include "value/value.h"

// JSON pointers, RFC 6901: "" is the whole value, "/a~1b/0" the first item of its member "a/b".
namespace chartwright::value {

/// The name of a member as a pointer has it: "~" is written "~0", and "/" "~1".
std::string escape_pointer_token(std::string_view name);

/// The name that a token of a pointer stands for; nullopt where a "~" is no escape.
std::optional<std::string> unescape_pointer_token(std::string_view token);

/// The member of `root` at a pointer, never nullptr. An index may have a sign and leading zeros.
/// Errors: kNotFound when there is none; kParse when a token on the way is malformed.
/// Source: santhosh-tekuri/jsonschema v6 util.go lookup.
base::Result<const Value*> at_pointer(const Value& root, std::string_view pointer);

/// The steps of a well-formed pointer into `root`, which tells indices from names. Behind the last
/// member that is there all are names.
std::vector<Path::Step> pointer_steps(const Value& root, std::string_view pointer);

}  // namespace chartwright::value
