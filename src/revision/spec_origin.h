// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "value/value.h"

namespace chartwright::release {

/// The change of a custom resource that a revision carries out. It is a hint for people: anyone who
/// may write records may have written it.
struct SpecOrigin {
  int64_t generation = 0;  ///< The generation of the custom resource; 0: not known.
  std::string manager;     ///< The field manager that changed the spec last; empty: not known.
};

/// Returns the annotations of a record that say so, which Helm does not read; nil if there is
/// nothing to say. The name of the manager is printable, and of 128 bytes at most. Pure.
value::Value spec_annotations(const SpecOrigin& spec);

/// Reads such annotations of a Secret, which may have any content, in the same bounds. Pure.
SpecOrigin spec_origin_in(const value::Value& secret);

}  // namespace chartwright::release
