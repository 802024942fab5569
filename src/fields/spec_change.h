// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value/value.h"

namespace chartwright::fields {

/// The last change of the spec of an object, as far as the managers of its fields show it: of each
/// manager, only the last change is known. The texts are those of clients.
struct SpecChange {
  std::string manager;  ///< Empty: not known.
  std::string time;     ///< In RFC 3339; may be empty.
};

/// Returns the newest entry of managedFields that has fields of the spec. Pure.
SpecChange spec_change_in(const value::Value& object);

}  // namespace chartwright::fields
