// SPDX-License-Identifier: Apache-2.0
#include "chart/go_type.h"

#include "tmpl/format.h"

namespace chartwright::chart {

std::string go_type(const value::Value& v) {
  return v.is_nil() || v.is_no_value() ? "nil" : tmpl::go_type_name(v);
}

}  // namespace chartwright::chart
