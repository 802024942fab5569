// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::value {

/// Whether a value is nil, or a nil slice or map: null in JSON, and nil to Go's comparisons.
bool is_null(const Value& v);

/// Whether two values are deeply equal in Go: int and float64, int and int64, []string and
/// []interface {}, nil and an empty list all differ; a native equals itself or one of the same Go
/// type with the same JSON form. Ends on cyclic dicts. Source: Go reflect.DeepEqual.
bool deep_equal(const Value& a, const Value& b);

/// Whether two values are the same JSON document: numbers are compared by their exact numeric value
/// whatever their type, a nil list is null, bytes are their base64 text. For Kubernetes objects,
/// which arrive typed differently from templates and from the API server.
bool json_equal(const Value& a, const Value& b);

}  // namespace chartwright::value
