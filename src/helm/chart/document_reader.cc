// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/document_reader.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace chartwright::helm {

base::Result<std::optional<YamlDocument>> DocumentReader::next() {
  YamlDocument document{"", lines_};
  while (!rest_.empty()) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++lines_;
    if (line.starts_with("---")) {
      const std::string_view behind = base::trim(line.substr(3));
      if (!behind.empty() && behind.front() != '#') {
        return base::Error(base::ErrorCode::kParse,
                           "invalid Yaml document separator: " + std::string(behind))
            .at({"", lines_, 1});
      }
      if (!document.text.empty()) {
        return std::optional(std::move(document));
      }
    }
    document.text.append(line).push_back('\n');
  }
  return document.text.empty() ? std::optional<YamlDocument>() : std::optional(std::move(document));
}

base::Result<std::vector<YamlDocument>> split_documents(std::string_view text) {
  std::vector<YamlDocument> documents;
  DocumentReader reader(text);
  while (true) {
    CW_TRY(std::optional<YamlDocument> document, reader.next());
    if (!document) {
      return documents;
    }
    documents.push_back(std::move(*document));
  }
}

}  // namespace chartwright::helm
