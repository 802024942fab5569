// SPDX-License-Identifier: Apache-2.0
#include "test/source_dir.h"

namespace chartwright {

std::string source_dir() { return CW_SOURCE_DIR; }

}  // namespace chartwright
