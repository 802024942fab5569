// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace chartwright {

/// The folder of the repository, absolute, without a slash at the end.
///
/// Only source_dir.cc is compiled with the path, so that clones in other folders share the
/// compiler's cache for all other tests.
std::string source_dir();

}  // namespace chartwright
