// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/go_type.h"

namespace chartwright::value {

// Named map types, as Helm's packages declare them.
inline constexpr GoType kValuesType{"chartutil.Values", Element::kInterface, true};
inline constexpr GoType kFilesType{"engine.files", Element::kBytes, true};
inline constexpr DictType kValuesDict(kValuesType);
inline constexpr DictType kFilesDict(kFilesType);

}  // namespace chartwright::value
