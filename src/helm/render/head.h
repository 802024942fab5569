// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// What Helm reads of a rendered document before anything else.
/// Source: helm/helm v3 pkg/releaseutil/manifest.go SimpleHead.
struct Head {
  std::string api_version;
  std::string kind;
  std::string name;
  value::Value annotations;  ///< Dict of strings, or nil.
  value::Value document;     ///< The whole, decoded; whole numbers are int64.

  /// nullptr when there is no such annotation.
  const std::string* annotation(std::string_view key) const;
};

/// Decodes a document's head. Scalars count as strings where a string is expected, and keys match
/// without regard to case, as sigs.k8s.io/yaml does for structs. Error: kParse with Go's text.
base::Result<Head> parse_head(std::string_view document, const Profile& profile);

}  // namespace chartwright::helm
