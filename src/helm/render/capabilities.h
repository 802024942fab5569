// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/version/profile.h"
#include "tmpl/function.h"
#include "value/value.h"

namespace chartwright::helm {

struct KubeVersion {
  std::string version = "v1.37.0";
  std::string major = "1";
  std::string minor = "37";
  /// The version for constraints and templates, if it differs from `version`; otherwise "".
  std::string normalized;
  const std::string& effective() const { return normalized.empty() ? version : normalized; }
};

/// The facts about the cluster that a chart may query.
/// Source: helm/helm v3 pkg/chartutil/capabilities.go.
struct Capabilities {
  KubeVersion kube_version;
  /// "group/version", and "group/version/Kind" where known: a list of strings, shared by copies.
  value::Value api_versions = api_version_list({});

  static value::Value api_version_list(const std::vector<std::string>& versions);

  /// Returns what `helm template` assumes without a cluster: the version and API groups of its
  /// client-go.
  static Capabilities offline(const Profile& profile = default_profile());
};

/// Parses `--kube-version`: up to three numbers and an optional suffix. Errors: kInvalidArgument,
/// kParse. Source: helm/helm pkg/chartutil/capabilities.go ParseKubeVersion.
base::Result<KubeVersion> parse_kube_version(std::string_view text,
                                             const Profile& profile = default_profile());

/// Returns the value of `.Capabilities`. It is immutable and may be shared by renders on several
/// threads.
value::Value make_capabilities_value(const Capabilities& capabilities, const Profile& profile);

/// Adds the methods of `.Capabilities.KubeVersion` and `.Capabilities.APIVersions`.
void add_capability_methods(tmpl::FunctionMap& functions, const Profile& profile);

}  // namespace chartwright::helm
