// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "value/json.h"

namespace chartwright::kube {

/// The kind of a document of an API server.
enum class ObjectDocument : uint8_t {
  kObject,
  kEvent,  ///< An event of a watch, which has an object as its member `object`.
};

/// Decodes one object or watch event from an API server, like parse_json with Numbers::kInt64,
/// except that each `metadata.managedFields[].fieldsV1` of the object (the fields set by one
/// manager) stays undecoded, as a string of JSON: these are half of an object's size, and only one
/// in four is ever read. Errors: as parse_json.
base::Result<value::Value> parse_object_json(std::string_view text,
                                             ObjectDocument what = ObjectDocument::kObject);

/// Returns the value of a `fieldsV1` member, decoding it if it is a string; nil if it is not JSON.
value::Value decode_fields(const value::Value& fields);

}  // namespace chartwright::kube
