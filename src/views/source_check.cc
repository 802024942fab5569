// SPDX-License-Identifier: Apache-2.0
#include "views/source_check.h"

#include <string>
#include <vector>

#include "base/strings.h"

namespace chartwright::views {
namespace {

using base::Error;
using base::ErrorCode;

/// Returns the kinds among what api_versions() lists: a name without a group is one of the core
/// group, whose only version is v1; any other has its group and version before it.
std::vector<kube::Gvk> kinds_of(const std::vector<std::string>& names) {
  std::vector<kube::Gvk> kinds;
  for (const std::string& name : names) {
    const size_t slash = name.rfind('/');
    const std::string api_version = name.substr(0, slash);
    if (slash != std::string::npos &&
        (api_version == "v1" || api_version.find('/') != std::string::npos)) {
      kinds.push_back(kube::Gvk::from_api_version(api_version, name.substr(slash + 1)));
    }
  }
  return kinds;
}

/// Returns the kind that `wanted` is most likely a slip of, one with an empty kind if there is
/// none: the same kind in another version of its group, or in a group of a similar name, or in any;
/// otherwise one of a similar name in the same group and version.
kube::Gvk nearest_kind(const std::vector<kube::Gvk>& kinds, const kube::Gvk& wanted) {
  const kube::Gvk* same_kind = nullptr;
  std::vector<std::string_view> groups;
  std::vector<std::string_view> neighbours;
  for (const kube::Gvk& one : kinds) {
    if (one.kind == wanted.kind) {
      if (one.group == wanted.group) {
        return one;
      }
      same_kind = same_kind == nullptr ? &one : same_kind;
      groups.push_back(one.group);
    }
    if (one.group == wanted.group && one.version == wanted.version) {
      neighbours.push_back(one.kind);
    }
  }
  if (const std::string_view near = base::nearest(wanted.group, groups); !near.empty()) {
    for (const kube::Gvk& one : kinds) {
      if (one.kind == wanted.kind && one.group == near) {
        return one;
      }
    }
  }
  if (same_kind != nullptr) {
    return *same_kind;
  }
  return {wanted.group, wanted.version, std::string(base::nearest(wanted.kind, neighbours))};
}

Error not_served(const View& view, kube::RestMapper& mapper, const kube::Call& call) {
  const kube::Gvk& gvk = view.source.gvk;
  std::string problem =
      "source.kind: the API server does not serve " + gvk.api_version() + ", kind " + gvk.kind;
  if (const auto served = mapper.api_versions(call); served.ok()) {
    const kube::Gvk near = nearest_kind(kinds_of(*served), gvk);
    // Kinds of subresources are named, too, and cannot be a source.
    if (!near.kind.empty() && mapper.mapping_for(near, call).ok()) {
      problem += ", did you mean " + near.api_version() + ", kind " + near.kind + "?";
    }
  }
  return Error(ErrorCode::kNotFound, problem)
      .with_http(0, std::string(kube::kNoMatchReason))
      .at(view.kind_pos);
}

}  // namespace

base::Status check_source(const View& view, kube::RestMapper& mapper, const kube::Call& call) {
  if (view.source.is_inline()) {
    return {};
  }
  CW_TRY_VOID(mapper.refresh(kube::RestMapper::kMinRefresh, call));
  const auto mapping = mapper.mapping_for(view.source.gvk, call);
  if (!mapping.ok()) {
    return mapping.error().reason() == kube::kNoMatchReason ? not_served(view, mapper, call)
                                                            : mapping.error();
  }
  if (mapping->scope == kube::Scope::kCluster && view.resource.namespaced) {
    return Error(ErrorCode::kInvalidArgument,
                 "source.kind: " + view.source.gvk.kind +
                     " has no namespaces, so neither has the view: set resource.namespaced to "
                     "false")
        .at(view.kind_pos);
  }
  return {};
}

}  // namespace chartwright::views
