// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// A rendered document that is not a hook.
struct Manifest {
  std::string path;     ///< The template file as in "# Source:": "chart/templates/x.yaml".
  std::string content;  ///< The trimmed text of the document.
  std::string api_version;
  std::string kind;  ///< Empty if the document is only a comment.
  std::string name;
  /// The decoded content with a final newline, as in the stored manifest. Whole numbers are int64.
  /// Not shared.
  value::Value document;
};

/// A rendered document with the annotation helm.sh/hook.
struct Hook {
  std::string path;
  std::string content;
  std::string kind;
  std::string name;
  std::vector<std::string> events;  ///< "pre-install", ..., "test", in the annotation's order.
  int weight = 0;
  std::vector<std::string> delete_policies;      ///< Lower-case, as annotated.
  std::vector<std::string> output_log_policies;  ///< Lower-case, as annotated.

  bool has_event(std::string_view event) const;
};

struct SortedManifests {
  std::vector<Hook> hooks;          ///< Sorted by kind; the runner sorts by weight and name.
  std::vector<Manifest> manifests;  ///< Sorted by kind, in install order.
  std::vector<std::string> warnings;
};

/// Splits rendered text into YAML documents as Helm does: at each `---` at the start of a line.
/// Documents are trimmed; with SplitRule::kLines they keep their trailing newlines. Empty documents
/// are dropped, those with only comments are kept.
/// Source: helm/helm v3 pkg/releaseutil/manifest.go.
std::vector<std::string> split_manifests(std::string_view text,
                                         SplitRule rule = SplitRule::kTrimmed);

/// Splits rendered files (path to text) into hooks and other documents, and sorts them in install
/// order. A document with an unknown hook event is dropped with a warning. Error: kParse "YAML
/// parse error on F: ...", with the place in the rendered file if known.
/// Source: helm/helm v3 pkg/releaseutil/manifest_sorter.go, kind_sorter.go.
base::Result<SortedManifests> sort_manifests(const std::map<std::string, std::string>& files,
                                             const Profile& profile = default_profile());

/// Returns the position of a kind in install order. Kinds unknown to Helm come last.
int install_rank(std::string_view kind);
/// Returns the position of a kind in uninstall order. Kinds unknown to Helm come last.
int uninstall_rank(std::string_view kind);

}  // namespace chartwright::helm
