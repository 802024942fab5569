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

/// One rendered document that is not a hook.
struct Manifest {
  std::string path;     ///< Template file, as "# Source:" names it: "chart/templates/x.yaml".
  std::string content;  ///< Trimmed text of the document.
  std::string api_version;
  std::string kind;  ///< Empty where the document is only a comment.
  std::string name;
  /// The content and a line end, which follows it in the stored manifest, decoded; whole numbers
  /// are int64. Shared with nobody.
  value::Value document;
};

/// One rendered document with the annotation helm.sh/hook.
struct Hook {
  std::string path;
  std::string content;
  std::string kind;
  std::string name;
  std::vector<std::string> events;  ///< "pre-install", ..., "test"; in the annotation's order.
  int weight = 0;
  std::vector<std::string> delete_policies;      ///< Lower-case, as annotated.
  std::vector<std::string> output_log_policies;  ///< Lower-case, as annotated.

  bool has_event(std::string_view event) const;
};

struct SortedManifests {
  std::vector<Hook> hooks;          ///< By kind; run order (weight, name) is the runner's matter.
  std::vector<Manifest> manifests;  ///< By kind, in install order.
  std::vector<std::string> warnings;
};

/// Splits a text into YAML documents as Helm does: at `---` behind a line end or at the start,
/// trimmed or with the line ends of their ends, empty pieces dropped, comment-only pieces kept.
/// Source: helm/helm v3 pkg/releaseutil/manifest.go.
std::vector<std::string> split_manifests(std::string_view text,
                                         SplitRule rule = SplitRule::kTrimmed);

/// Splits a stored manifest into its documents: at lines of `---`, behind which may stand a
/// comment. Whatever else there is, each document keeps. They are views of `manifest`. Source:
/// k8s.io/apimachinery pkg/util/yaml, YAMLReader.
std::vector<std::string_view> split_stored(std::string_view manifest);

/// A stored document without the "# Source:" line, in which the name of a template may be more than
/// YAML lets a comment be.
std::string_view without_source(std::string_view document);

/// Splits and sorts rendered files (path to text) in install order and tells hooks apart. A
/// document with an unknown hook event is dropped with a warning. Error: kParse "YAML parse error
/// on F: ...", with the place in the rendered file where it is known. Source: helm/helm v3
/// pkg/releaseutil/manifest_sorter.go, kind_sorter.go.
base::Result<SortedManifests> sort_manifests(const std::map<std::string, std::string>& files,
                                             const Profile& profile = default_profile());

/// Position of a kind in install order; kinds that Helm does not know come after all others.
int install_rank(std::string_view kind);
/// Position of a kind in uninstall order, likewise.
int uninstall_rank(std::string_view kind);

/// "---\n# Source: PATH\nCONTENT\n": the form in which Helm stores and prints a document.
std::string source_block(std::string_view path, std::string_view content);

/// A manifest without the documents whose "# Source:" is a file of a crds/ folder, of the chart or
/// a subchart: our own releases once recorded them. Text without any is returned as it is.
std::string without_crds(std::string manifest);
/// Those documents.
std::vector<std::string> crds_in(std::string_view manifest);

}  // namespace chartwright::helm
