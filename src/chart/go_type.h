// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value/value.h"

namespace chartwright::chart {

/// The Go type of a chart value, as %T prints it.
std::string go_type(const value::Value& v);

}  // namespace chartwright::chart
