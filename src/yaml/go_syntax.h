// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "yaml/nodes.h"

namespace chartwright::yaml {

/// Formats a node as fmt's %#v prints the value that go-yaml decodes it to: `map[interface
/// {}]interface {}{"a":1}`. For error messages: `node` must decode without error, and very long
/// text is cut.
std::string yaml_go_syntax(const Document& document, NodeId node);

}  // namespace chartwright::yaml
