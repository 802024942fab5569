// SPDX-License-Identifier: Apache-2.0
// Writes that send no more of an object than its metadata.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client.h"
#include "release/owner.h"
#include "value/value.h"

namespace chartwright::release {

/// Returns the options of a write whose reply, which may be large, is not read but for its
/// metadata.
kube::WriteOptions short_reply();

/// Returns a merge patch that sets `member` of the metadata of `live`, if it is still the same
/// version of the same object.
value::Value metadata_patch(const value::Value& live, std::string_view member, value::Value wanted);

/// Deletes the object that `options` name by uid, and returns true. Returns false if it is gone, or
/// another by now, and needs no deletion. Errors: those of the client, and kConflict if it is
/// there.
base::Result<bool> remove_exact(kube::Client& client, const kube::ObjectRef& ref,
                                const kube::DeleteOptions& options, const kube::Call& call);

/// Gives up the fields that `owner` applied to an object: those that nobody else has set are
/// removed. Where the API server refuses that, such as for a field that the object must have, the
/// values stay, and only the field manager goes. `uid`: that of the object. Nothing is done if the
/// object is gone, or has been replaced. Errors: those of the client, and kConflict if it is there.
base::Status give_up_fields(kube::Client& client, const kube::ObjectRef& ref,
                            const std::string& uid, const Owner& owner, const kube::Call& call);

}  // namespace chartwright::release
