// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm {

/// Encodes as yaml v3's encoder with an indentation of two does, final newline included: lists
/// stand deeper than their key, nothing is folded, floats keep Go's shortest form. Errors:
/// kBudget for values nested too deeply (a dict may hold itself), kTemplate where it panics.
/// Source: go.yaml.in/yaml/v3 encode.go.
base::Result<std::string> pretty_yaml(const value::Value& v);

}  // namespace chartwright::helm
