// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "kube/transport.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The category of every CRD that `chartwright generate crd` writes.
inline constexpr std::string_view kCategory = "chartwright";

/// A kind that an API server serves, with all the names that kubectl takes for it.
struct ServedKind {
  kube::ResourceMapping mapping;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
};

/// Asks an API server for the kinds that it serves, each in the version that it prefers: one
/// request. Errors: those of the transport and of the server; kUnavailable where it has no
/// aggregated discovery, as before Kubernetes 1.26. Blocks.
base::Result<std::vector<ServedKind>> served_kinds(kube::Transport& transport,
                                                   const kube::Call& call);

/// Returns the kinds in an APIGroupDiscoveryList.
std::vector<ServedKind> kinds_in(const value::Value& groups);

/// Returns the kinds that `word` names: all of the category for "all" or a category, else the one
/// with that plural, singular, kind or short name, in any case, to which a version and a group may
/// be added: "shops", "Shop", "shops.example.com", "shops.v1.example.com". Errors: kNotFound where
/// there is none, with the nearest name; kInvalidArgument where several kinds have the name.
base::Result<std::vector<ServedKind>> select_kinds(const std::vector<ServedKind>& served,
                                                   const std::string& word);

}  // namespace chartwright::cmd
