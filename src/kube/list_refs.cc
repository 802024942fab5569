// SPDX-License-Identifier: Apache-2.0
#include "kube/list_refs.h"

#include <cstdint>
#include <string>

namespace chartwright::kube {

base::Result<std::vector<ObjectRef>> list_refs(Client& client, const Gvk& gvk,
                                               const Selection& selection, const Call& call) {
  constexpr int64_t kPageItems = 500;
  ListOptions options;
  options.selection = selection;
  options.limit = kPageItems;
  options.reply = Reply::kMetadata;
  std::vector<ObjectRef> refs;
  do {
    CW_TRY(const ListPage page, client.list(gvk, options, call));
    for (const value::Value& item : page.items) {
      refs.push_back({gvk, std::string(namespace_of(item)), std::string(name_of(item))});
    }
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty());
  return refs;
}

}  // namespace chartwright::kube
