// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::helm {

/// Encodes a value as yaml v3's encoder does with an indentation of two, including the final
/// newline: lists are indented below their key, lines are not folded, floats have Go's shortest
/// form. Errors: kBudget for values nested too deeply (a dict may contain itself), kTemplate where
/// the Go library panics. Source: go.yaml.in/yaml/v3 encode.go.
base::Result<std::string> pretty_yaml(const value::Value& v);

}  // namespace chartwright::helm
