// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/discovery.h"
#include "views/view.h"

namespace chartwright::views {

/// Checks that the source of a view is there, and has namespaces where the view has. Asks the
/// server anew if what is known of it is older than RestMapper::kMinRefresh. Errors: kNotFound with
/// reason "NoMatch", and kInvalidArgument, both at the view's `source.kind`; those of discovery.
base::Status check_source(const View& view, kube::RestMapper& mapper, const kube::Call& call);

}  // namespace chartwright::views
