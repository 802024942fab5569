// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "yaml/nodes.h"

namespace chartwright::yaml {

/// A node as fmt's %#v prints what go-yaml decodes it to: `map[interface {}]interface {}{"a":1}`.
/// For error messages: `node` decodes without error, and a very long text is cut.
std::string yaml_go_syntax(const YamlDocument& document, YamlNodeId node);

}  // namespace chartwright::yaml
