// SPDX-License-Identifier: Apache-2.0
#include "release/document_search.h"

#include <string_view>

namespace chartwright::release {
namespace {

using value::Path;
using value::Value;

// Lists in lists in lists are of no chart.
constexpr int kListDepthMax = 3;

bool is_of_kind(const Value& object, const Value* list, const kube::GroupKind& kind) {
  const bool is_inferred =
      list != nullptr && object.find("kind") == nullptr && object.find("apiVersion") == nullptr;
  return is_inferred ? list->string_at({"kind"}) == kind.kind + "List"
                     : kube::gvk_of(object).group_kind() == kind;
}

}  // namespace

bool DocumentSearch::is_it(const Value& object, const Value* list) const {
  const std::string_view ns = kube::namespace_of(object);
  return is_of_kind(object, list, slot_.group_kind()) && kube::name_of(object) == slot_.name &&
         (slot_.ns.empty() || (ns.empty() ? release_namespace_ : ns) == slot_.ns);
}

std::optional<DocumentSearch::Steps> DocumentSearch::in(const Value& document) const {
  return in(document, nullptr, 0);
}

std::optional<DocumentSearch::Steps> DocumentSearch::in(const Value& node, const Value* list,
                                                        int depth) const {
  if (!node.is_dict()) {
    return std::nullopt;
  }
  const Value* items = node.find("items");
  if (items == nullptr || !items->is_list() || depth == kListDepthMax) {
    return is_it(node, list) ? std::optional(Steps()) : std::nullopt;
  }
  const std::vector<Value>& all = items->as_list().items;
  for (size_t i = 0; i < all.size(); ++i) {
    if (auto inner = in(all[i], &node, depth + 1)) {
      inner->insert(inner->begin(), {Path::Step("items"), Path::Step(i)});
      return inner;
    }
  }
  return std::nullopt;
}

}  // namespace chartwright::release
