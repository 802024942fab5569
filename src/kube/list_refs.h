// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "kube/object.h"

namespace chartwright::kube {

/// Lists the names of objects alone, page by page, so that neither the memory nor the age of the
/// list limits how many there may be: the caller reads each object when its turn comes. Errors:
/// those of Client::list. Blocks.
base::Result<std::vector<ObjectRef>> list_refs(Client& client, const Gvk& gvk,
                                               const Selection& selection, const Call& call);

}  // namespace chartwright::kube
