// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chartwright::helm {

/// Splits a stored manifest into its documents, at lines of `---` that may end in a comment. The
/// documents are otherwise unchanged. They are views of `manifest`.
/// Source: k8s.io/apimachinery pkg/util/yaml, YAMLReader.
std::vector<std::string_view> split_stored(std::string_view manifest);

/// Returns a stored document without its "# Source:" line, as a template's name may contain
/// characters that YAML does not allow in a comment.
std::string_view without_source(std::string_view document);

/// Returns the path of the template that a stored document names in its "# Source:" line; "" if it
/// has none. A view of `document`.
std::string_view source_of(std::string_view document);

/// Returns "---\n# Source: PATH\nCONTENT\n", the form in which Helm stores and prints a document.
std::string source_block(std::string_view path, std::string_view content);

/// Returns a manifest without the documents whose "# Source:" is a file of the crds/ folder of the
/// chart or a subchart, which earlier versions of this project recorded. A manifest without such
/// documents is returned unchanged.
std::string without_crds(std::string manifest);
/// Returns the documents that without_crds removes.
std::vector<std::string> crds_in(std::string_view manifest);

}  // namespace chartwright::helm
