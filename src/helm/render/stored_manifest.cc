// SPDX-License-Identifier: Apache-2.0
#include "helm/render/stored_manifest.h"

#include <algorithm>

#include "base/strings.h"
#include "helm/render/manifest.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kSourceMark = "# Source: ";

// Reports whether a path is that of a CRD file: "chart/crds/x.yaml" or
// "chart/charts/sub/crds/x.yaml". A crds/ folder below templates/ does not count.
bool is_crd_path(std::string_view path) {
  const auto drop_segment = [&path] {
    const size_t slash = path.find('/');
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  };
  drop_segment();
  while (path.starts_with("charts/")) {
    drop_segment();
    drop_segment();
  }
  return path.starts_with("crds/");
}

bool comes_from_crds(std::string_view document) { return is_crd_path(source_of(document)); }

}  // namespace

std::vector<std::string_view> split_stored(std::string_view manifest) {
  const auto separates = [](std::string_view line) {
    if (!line.starts_with("---")) {
      return false;
    }
    const std::string_view rest = base::trim(line.substr(3));
    return rest.empty() || rest.starts_with("#");
  };
  std::vector<std::string_view> documents;
  size_t begin = 0;
  for (size_t line = 0, end = 0; line < manifest.size(); line = end) {
    end = std::min(manifest.find('\n', line), manifest.size() - 1) + 1;
    if (separates(manifest.substr(line, end - line))) {
      documents.push_back(manifest.substr(begin, line - begin));
      begin = end;
    }
  }
  documents.push_back(manifest.substr(begin));
  return documents;
}

std::string_view without_source(std::string_view document) {
  if (document.starts_with(kSourceMark)) {
    const size_t end = document.find('\n');
    document.remove_prefix(end == std::string_view::npos ? document.size() : end + 1);
  }
  return document;
}

std::string_view source_of(std::string_view document) {
  if (!document.starts_with(kSourceMark)) {
    return {};
  }
  document.remove_prefix(kSourceMark.size());
  return document.substr(0, document.find('\n'));
}

std::string without_crds(std::string manifest) {
  const std::vector<std::string> documents = split_manifests(manifest);
  if (std::none_of(documents.begin(), documents.end(), comes_from_crds)) {
    return manifest;
  }
  std::string kept;
  for (const std::string& document : documents) {
    if (!comes_from_crds(document)) {
      kept.append("---\n").append(document).append("\n");
    }
  }
  return kept;
}

std::vector<std::string> crds_in(std::string_view manifest) {
  std::vector<std::string> documents = split_manifests(manifest);
  std::erase_if(documents, [](const std::string& one) { return !comes_from_crds(one); });
  return documents;
}

std::string source_block(std::string_view path, std::string_view content) {
  std::string block = "---\n# Source: ";
  block.append(path).append("\n").append(content).append("\n");
  return block;
}

}  // namespace chartwright::helm
