// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "doctor/doctor.h"
#include "generate/view_rules.h"
#include "kube/client.h"

namespace chartwright::doctor {

/// A kind that a file expects to be served, beside the kinds that templates render.
struct NamedKind {
  enum class Need : uint8_t {
    kAlways,
    kIfRendered,  ///< A rule names it; templates may leave its objects out where it is not served.
  };
  kube::Gvk gvk;
  std::string place;  ///< "charts/x/operator/operator.yaml (related.claims)"
  Need need = Need::kAlways;
  bool operator==(const NamedKind&) const = default;
};

/// Returns the kinds that rules for children, related objects, partial objects and views name.
/// Errors: those of helm::analysis::written_kinds.
base::Result<std::vector<NamedKind>> named_kinds(const std::vector<bundle::Watch>& watches,
                                                 const generate::ServedViews& served);

/// Returns those that the API server does not serve, each with what would be right; as notes those
/// that it need not serve. Errors: those of the client. Blocks.
base::Result<std::vector<Complaint>> check_named_kinds(const std::vector<NamedKind>& named,
                                                       kube::Client& client,
                                                       const kube::Call& call);

}  // namespace chartwright::doctor
