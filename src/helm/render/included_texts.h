// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tmpl/ast.h"

namespace chartwright::helm {

/// Returns the texts of files of operator/, by path, and those of the named templates in `trees`
/// that they include, directly or through others; of all named templates if one is included by a
/// name that is computed.
std::vector<std::string> included_texts(const std::map<std::string, std::string>& files,
                                        const std::vector<tmpl::TreeMap>& trees);

}  // namespace chartwright::helm
