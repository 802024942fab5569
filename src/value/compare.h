// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::value {

/// Reports whether a value is nil, or a nil slice or map: null in JSON, and nil in Go's
/// comparisons.
bool is_null(const Value& v);

/// Reports whether two values are deeply equal in Go. int and float64 differ, as do int and int64,
/// []string and []interface {}, nil and an empty list. A native equals itself, and any native of
/// the same Go type with the same JSON form. Terminates on cyclic dicts. Source: Go
/// reflect.DeepEqual.
bool deep_equal(const Value& a, const Value& b);

/// Reports whether two values are the same JSON document. Numbers are compared by their exact
/// numeric value, whatever their type; a nil list equals null; bytes equal their base64 string. Use
/// it where two decoders give the same data different Go types.
bool json_equal(const Value& a, const Value& b);

}  // namespace chartwright::value
