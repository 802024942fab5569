// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/signer.h"
#include "external/memory.h"
#include "kube/object.h"

namespace chartwright::external {

/// The type of the Secret with the copy of the records.
inline constexpr std::string_view kCopyType = "chartwright.io/externals.v1";

/// Begins the name of that Secret.
inline constexpr std::string_view kCopyPrefix = "chartwright-externals-";

/// Returns the name of the Secret with the copy of the records of a custom resource. A custom
/// resource that is created anew under its name finds the same one.
std::string copy_name(const kube::ObjectRef& owner);

/// Returns the `data` of that Secret. `signer` may be null. Errors: those of sign.
base::Result<value::Value> copy_data(const Records& records, const base::Signer* signer);

/// Reads that Secret. A content that is not vouched for only tells which objects there may be.
/// Errors: those of verifies.
base::Result<Copy> read_copy(const value::Value& secret, const base::Signer* signer);

}  // namespace chartwright::external
