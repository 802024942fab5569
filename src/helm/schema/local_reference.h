// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::helm {

/// Follows "$ref": returns what `schema`, a part of the document `root`, stands for. Returns
/// nullptr for nullptr, and if a reference leads to another document, to nothing, or through many
/// others.
const value::Value* follow_references(const value::Value* schema, const value::Value& root);

}  // namespace chartwright::helm
