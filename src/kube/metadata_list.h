// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "kube/client.h"

namespace chartwright::kube {

/// The objects of a list of metadata, and its limits.
struct MetadataQuery {
  Gvk gvk;
  Selection selection;
  size_t page = 100;          ///< Objects of one page.
  size_t objects_max = 1000;  ///< Objects of all pages.
  /// The limit of one page; a page of usual objects has a twentieth.
  size_t page_bytes = size_t{4} << 20;
};

/// Receives an object that has no more than apiVersion, kind and metadata.
using MetadataSink = std::function<void(const value::Value& object)>;

/// Lists the metadata of the selected objects, one page at a time, so that neither their contents
/// nor their number can take much memory. Blocks; each page has the timeout of `call`. Errors:
/// kBudget if there are more objects than allowed, or a page has more bytes; those of Client::list.
base::Status list_metadata(Client& client, const MetadataQuery& query, const Call& call,
                           const MetadataSink& sink);

}  // namespace chartwright::kube
