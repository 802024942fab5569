// SPDX-License-Identifier: Apache-2.0
#include "chart/documents.h"

#include <algorithm>

#include "base/strings.h"

namespace chartwright::chart {

base::Result<std::vector<YamlDocument>> split_documents(std::string_view text) {
  std::vector<YamlDocument> documents;
  YamlDocument document;
  int passed = 0;
  for (size_t start = 0; start < text.size(); ++passed) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.starts_with("---")) {
      const std::string_view rest = base::trim(line.substr(3));
      if (!rest.empty() && rest.front() != '#') {
        return base::Error(base::ErrorCode::kParse,
                           "invalid Yaml document separator: " + std::string(rest))
            .at({"", passed + 1, 1});
      }
      if (!document.text.empty()) {
        documents.push_back(std::move(document));
        document = {"", passed + 1};
        continue;
      }
    }
    document.text.append(line).append("\n");
  }
  if (!document.text.empty()) {
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace chartwright::chart
