// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::suite {

/// Builds the dict that has `v` at a path of `set`: `a.b`, `a[0].b`, `[x.y].b` for names with dots.
/// Elements before the last one are nil. Errors: kParse in helm-unittest's words; kBudget for an
/// index above 65,536.
/// Source: helm-unittest pkg/unittest/valueutils/valueutils.go BuildValueOfSetPath.
base::Result<value::Value> value_at_set_path(std::string_view path, const value::Value& v);

}  // namespace chartwright::suite
