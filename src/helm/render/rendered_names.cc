// SPDX-License-Identifier: Apache-2.0
#include "helm/render/rendered_names.h"

namespace chartwright::helm {
namespace {

// The group of an apiVersion: empty for "v1".
std::string group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return std::string(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
}

}  // namespace

std::optional<std::string> RenderedNames::add(const value::Value& object, std::string_view path) {
  const std::string kind(object.string_at({"kind"}));
  const std::string name(object.string_at({"metadata", "name"}));
  if (kind.empty() || name.empty()) {
    return std::nullopt;
  }
  const std::string ns(object.string_at({"metadata", "namespace"}));
  const auto [item, is_new] =
      path_by_identity_.try_emplace(Identity{group_of(object.string_at({"apiVersion"})), kind,
                                             ns.empty() ? release_namespace_ : ns, name},
                                    path);
  if (is_new) {
    return std::nullopt;
  }
  const std::string& earlier = item->second;
  return kind + "/" + name + ": " +
         (earlier == path ? "this template renders it twice" : earlier + " renders it, too");
}

}  // namespace chartwright::helm
