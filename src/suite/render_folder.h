// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::suite {

/// The folder of renders that are kept, in the current one.
inline constexpr std::string_view kRenderFolder = ".debug";

/// Writes a rendered file into a folder, by its path. No chart can make it write elsewhere. Errors:
/// kInvalidArgument for a path, or a link in the folder, that leads out of it; kInternal if a
/// folder cannot be made; those of base::replace_file.
base::Status keep_render(std::string_view folder, const std::string& file, std::string_view text);

}  // namespace chartwright::suite
