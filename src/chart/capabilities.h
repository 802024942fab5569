// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::chart {

/// The Helm release whose behaviour is reproduced, as `.Capabilities.HelmVersion` reports it.
inline constexpr std::string_view kHelmVersion = "v3.22.0";

struct KubeVersion {
  std::string version = "v1.37.0";
  std::string major = "1";
  std::string minor = "37";
};

/// What a chart may ask of the cluster. Source: helm/helm v3 pkg/chartutil/capabilities.go.
struct Capabilities {
  KubeVersion kube_version;
  std::vector<std::string> api_versions;  ///< "group/version", and "group/version/Kind" if known.

  /// What `helm template` assumes without a cluster: client-go 0.37's version and API groups.
  static Capabilities offline();
};

/// Reads `--kube-version`: up to three numbers and more; a suffix is dropped. Error:
/// kInvalidArgument. Source: k8s.io/apimachinery pkg/util/version ParseGeneric.
base::Result<KubeVersion> parse_kube_version(std::string_view text);

/// `.Capabilities`. Immutable, may be shared by renders on several threads.
value::Value make_capabilities_value(const Capabilities& capabilities);

}  // namespace chartwright::chart
