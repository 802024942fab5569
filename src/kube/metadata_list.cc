// SPDX-License-Identifier: Apache-2.0
#include "kube/metadata_list.h"

#include <string>
#include <utility>

namespace chartwright::kube {

base::Status list_metadata(Client& client, const MetadataQuery& query, const Call& call,
                           const MetadataSink& sink) {
  ListOptions options;
  options.selection = query.selection;
  options.limit = static_cast<int64_t>(query.page);
  options.reply = Reply::kMetadata;
  options.bytes_max = query.page_bytes;
  size_t seen = 0;
  do {
    CW_TRY(ListPage page, client.list(query.gvk, options, call));
    seen += page.items.size();
    if (seen > query.objects_max) {
      return base::Error(base::ErrorCode::kBudget,
                         "list " + query.gvk.kind + " with \"" + query.selection.label_selector +
                             "\" in namespace \"" + query.selection.ns +
                             "\": there are more than " + std::to_string(query.objects_max));
    }
    for (const value::Value& item : page.items) {
      sink(item);
    }
    options.continue_token = std::move(page.continue_token);
  } while (!options.continue_token.empty());
  return {};
}

}  // namespace chartwright::kube
