// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// The fields of a rendered document that Helm reads first.
/// Source: helm/helm v3 pkg/releaseutil/manifest.go SimpleHead.
struct Head {
  std::string api_version;
  std::string kind;
  std::string name;
  value::Value annotations;  ///< A dict of strings, or nil.
  value::Value document;     ///< The whole document, decoded. Whole numbers are int64.

  /// Returns the value of an annotation, or nullptr.
  const std::string* annotation(std::string_view key) const;
};

/// Decodes a document's head. Scalars are accepted where a string is expected and keys match
/// case-insensitively, as in sigs.k8s.io/yaml for structs. Error: kParse with Go's message.
base::Result<Head> parse_head(std::string_view document, const Profile& profile);

}  // namespace chartwright::helm
