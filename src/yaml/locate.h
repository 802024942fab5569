// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "value/path.h"
#include "yaml/nodes.h"

namespace chartwright::yaml {

enum class Documents : uint8_t { kFirst, kAll };

/// The position (without a file) of a member of a YAML stream.
struct Place {
  size_t depth;  ///< Number of steps that lead to it.
  base::SourcePos pos;
};

/// Returns the position that sets the member at `steps` or, if nothing sets it, that of the nearest
/// enclosing member; nullopt if not even the first step exists. Otherwise like locate_in_yaml.
std::optional<Place> nearest_in_yaml(std::string_view text,
                                     std::span<const value::Path::Step> steps,
                                     Documents documents = Documents::kFirst);

/// Does the same with a document that was read: it reads no text again.
std::optional<Place> nearest_in_yaml(const Document& document,
                                     std::span<const value::Path::Step> steps);

/// Returns the position (without a file) that sets the member at `steps` in a YAML stream: its key,
/// or the list element itself. Of equal keys, and of documents that override each other, the last
/// one counts. A member that comes from an alias or a merge key has the position where that is
/// used. Returns nullopt if nothing sets the member, or if the text is not YAML. Keys are compared
/// as written.
std::optional<base::SourcePos> locate_in_yaml(std::string_view text,
                                              std::span<const value::Path::Step> steps,
                                              Documents documents = Documents::kFirst);

}  // namespace chartwright::yaml
